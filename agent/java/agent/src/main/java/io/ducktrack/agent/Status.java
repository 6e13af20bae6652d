package io.ducktrack.agent;

/** What a recording is doing, and what it costs. */
public final class Status extends Answer {
    Status(String json) {
        super(json);
    }

    /** {@code loaded}, {@code starting}, {@code recording}, {@code stopping} or {@code ended}. */
    public String phase() {
        return text("phase");
    }

    /** The mode of the recording. */
    public String mode() {
        return text("mode");
    }

    /** How long it has been recording. */
    public long runningMillis() {
        return number("running_millis");
    }

    /** Classes that have probes. */
    public long classesRewritten() {
        return number("classes_rewritten");
    }

    /** Memory of the agent. */
    public long memoryBytes() {
        return number("memory_bytes");
    }
}
