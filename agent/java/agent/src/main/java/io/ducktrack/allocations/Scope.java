package io.ducktrack.allocations;

/** Whose allocations are counted. */
public enum Scope {
    /** Those of the thread that runs the piece; of a virtual thread, on all its carriers. */
    THREAD,
    /** Those of all threads of the JVM. They are exact for threads that begin and end their work, or do none, while the piece runs. */
    ALL
}
