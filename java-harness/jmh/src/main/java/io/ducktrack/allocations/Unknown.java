package io.ducktrack.allocations;

/** The end of a benchmark whose allocations are not known. */
final class Unknown {
    private Unknown() {}

    static RuntimeException because(String why) {
        return new IllegalStateException(why);
    }
}
