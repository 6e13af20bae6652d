package io.ducktrack.agent;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The options of a recording: those of the agent, by their keys.
 *
 * <pre>
 * new Options().output(Path.of("counts")).with("app", "com.acme.*")
 * </pre>
 */
public final class Options {
    private final Map<String, String> values = new LinkedHashMap<>();

    /** Counts, into {@code ducktrack-PID} of the working directory, and prints nothing. */
    public Options() {
        values.put("summary", "off");
    }

    /** The mode: {@code count}, {@code trace}, {@code deaths} or {@code full}. */
    public Options mode(String mode) {
        return with("mode", mode);
    }

    /** The directory of the recording. */
    public Options output(Path directory) {
        return with("output", directory.toAbsolutePath().toString());
    }

    /**
     * An option of the agent.
     *
     * @throws IllegalArgumentException if the value has a comma, which separates options
     */
    public Options with(String key, String value) {
        if (value.indexOf(',') >= 0 || value.indexOf('\n') >= 0) {
            throw new IllegalArgumentException(key + "=" + value + ": the agent separates options with commas; write them into a file and name it with Options.file");
        }
        values.put(key, value);
        return this;
    }

    /** Options from a file, a line each. */
    public Options file(Path file) {
        values.put("@" + file.toAbsolutePath(), "");
        return this;
    }

    /** As the agent reads them: {@code key=value,key=value}. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        values.forEach((key, value) -> {
            text.append(text.length() == 0 ? "" : ",").append(key);
            if (!key.startsWith("@")) {
                text.append('=').append(value);
            }
        });
        return text.toString();
    }
}
