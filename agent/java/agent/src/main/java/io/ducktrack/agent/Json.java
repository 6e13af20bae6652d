package io.ducktrack.agent;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reads the agent's answers: objects are maps, arrays lists, numbers {@link Long} or {@link Double}. */
final class Json {
    private final String text;
    private int at;

    private Json(String text) {
        this.text = text;
    }

    /** The object that a text is. */
    static Map<String, Object> object(String text) {
        Json json = new Json(text);
        Object value = json.value();
        if (json.next() != 0 || !(value instanceof Map)) {
            throw json.fault();
        }
        return asObject(value);
    }

    /** A list of objects. */
    static List<Map<String, Object>> objects(Object value) {
        List<Map<String, Object>> objects = new ArrayList<>();
        for (Object item : (List<?>) value) {
            objects.add(asObject(item));
        }
        return objects;
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> asObject(Object value) {
        return (Map<String, Object>) value;
    }

    private Object value() {
        char first = next();
        switch (first) {
            case '{': return fields();
            case '[': return items();
            case '"': return string();
            case 't': return word("true", true);
            case 'f': return word("false", false);
            case 'n': return word("null", null);
            default: return number();
        }
    }

    private Map<String, Object> fields() {
        Map<String, Object> fields = new LinkedHashMap<>();
        at++;
        while (next() != '}') {
            String name = string();
            expect(':');
            fields.put(name, value());
            separator('}');
        }
        at++;
        return fields;
    }

    private List<Object> items() {
        List<Object> items = new ArrayList<>();
        at++;
        while (next() != ']') {
            items.add(value());
            separator(']');
        }
        at++;
        return items;
    }

    private String string() {
        expect('"');
        StringBuilder string = new StringBuilder();
        while (at < text.length() && text.charAt(at) != '"') {
            char letter = text.charAt(at++);
            string.append(letter == '\\' ? escaped() : letter);
        }
        expect('"');
        return string.toString();
    }

    private char escaped() {
        char letter = at < text.length() ? text.charAt(at++) : 0;
        switch (letter) {
            case 'n': return '\n';
            case 't': return '\t';
            case 'r': return '\r';
            case 'b': return '\b';
            case 'f': return '\f';
            case 'u':
                at += 4;
                if (at > text.length()) {
                    throw fault();
                }
                return (char) Integer.parseInt(text.substring(at - 4, at), 16);
            default: return letter;
        }
    }

    private Number number() {
        int from = at;
        while (at < text.length() && "+-.0123456789eE".indexOf(text.charAt(at)) >= 0) {
            at++;
        }
        String digits = text.substring(from, at);
        try {
            if (digits.matches("-?[0-9]+")) {
                return Long.valueOf(digits);
            }
            return Double.valueOf(digits);
        } catch (NumberFormatException bad) {
            throw fault();
        }
    }

    private Object word(String word, Object value) {
        if (!text.startsWith(word, at)) {
            throw fault();
        }
        at += word.length();
        return value;
    }

    /** The next letter that is no space, or 0 at the end. */
    private char next() {
        while (at < text.length() && text.charAt(at) <= ' ') {
            at++;
        }
        return at < text.length() ? text.charAt(at) : 0;
    }

    private void expect(char letter) {
        if (next() != letter) {
            throw fault();
        }
        at++;
    }

    private void separator(char end) {
        if (next() == ',') {
            at++;
        } else if (next() != end) {
            throw fault();
        }
    }

    private RefusedException fault() {
        return new RefusedException("the agent's answer is not JSON at its letter " + at + ": " + text);
    }
}
