package io.ducktrack.allocations;

/** A piece of the program whose allocations are counted. */
@FunctionalInterface
public interface Body {
    /** Runs the piece. */
    void run() throws Throwable;
}
