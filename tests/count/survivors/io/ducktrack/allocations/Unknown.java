package io.ducktrack.allocations;

/** Without a test framework: an exception. */
final class Unknown {
    private Unknown() {}

    static RuntimeException because(String why) {
        return new IllegalStateException(why);
    }
}
