package io.ducktrack.agent;

import java.nio.file.Path;
import java.util.Map;

/** The agent's answer to a command. */
public class Answer {
    private final String json;
    final Map<String, Object> fields;

    Answer(String json) {
        this.json = json;
        this.fields = Json.object(json);
        if (!Boolean.TRUE.equals(fields.get("ok"))) {
            throw new RefusedException(String.valueOf(fields.get("error")));
        }
    }

    /** The line of JSON that the command prints with {@code --json}. */
    public final String json() {
        return json;
    }

    /** The directory of the recording. */
    public final Path directory() {
        return Path.of(text("directory"));
    }

    final String text(String name) {
        return (String) field(name);
    }

    final long number(String name) {
        return ((Number) field(name)).longValue();
    }

    private Object field(String name) {
        Object field = fields.get(name);
        if (field == null) {
            throw new RefusedException("the agent's answer has no " + name + ": use the library and the jar of one release");
        }
        return field;
    }

    @Override
    public final String toString() {
        return json;
    }
}
