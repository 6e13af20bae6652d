package io.ducktrack.agent;

/** What the end of a recording has done to the JVM. */
public final class Ended extends Answer {
    Ended(String json) {
        super(json);
    }

    /** Classes without probes again. */
    public long classesRestored() {
        return number("classes_restored");
    }

    /** Classes that the JVM refused to restore: their probes count no longer. */
    public long classesKept() {
        return number("classes_kept");
    }

    /** The longest stop of the program meanwhile. */
    public long longestStopMicros() {
        return number("longest_stop_micros");
    }
}
