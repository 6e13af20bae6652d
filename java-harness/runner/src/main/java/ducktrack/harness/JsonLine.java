package ducktrack.harness;

import java.util.Locale;

/** One JSON object on one line, fields in the order given. */
final class JsonLine {
    private final StringBuilder text = new StringBuilder("{");

    JsonLine(String event) {
        add("event", event);
    }

    JsonLine add(String name, String value) {
        return raw(name, value == null ? "null" : quoted(value));
    }

    JsonLine add(String name, long value) {
        return raw(name, Long.toString(value));
    }

    JsonLine add(String name, boolean value) {
        return raw(name, Boolean.toString(value));
    }

    /** Nanoseconds, written as milliseconds to three places. */
    JsonLine addMillis(String name, long nanos) {
        return raw(name, String.format(Locale.ROOT, "%.3f", nanos / 1e6));
    }

    /** Negative means unknown. */
    JsonLine addIfKnown(String name, long value) {
        return raw(name, value < 0 ? "null" : Long.toString(value));
    }

    private JsonLine raw(String name, String value) {
        if (text.length() > 1) {
            text.append(',');
        }
        text.append(quoted(name)).append(':').append(value);
        return this;
    }

    private static String quoted(String value) {
        StringBuilder quoted = new StringBuilder("\"");
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (c == '"' || c == '\\') {
                quoted.append('\\').append(c);
            } else if (c < ' ') {
                quoted.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
            } else {
                quoted.append(c);
            }
        }
        return quoted.append('"').toString();
    }

    @Override
    public String toString() {
        return text + "}";
    }
}
