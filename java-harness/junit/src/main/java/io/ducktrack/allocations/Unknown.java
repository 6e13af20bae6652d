package io.ducktrack.allocations;

import org.opentest4j.AssertionFailedError;
import org.opentest4j.TestAbortedException;

/** The end of a test whose allocations are not known. */
public final class Unknown {
    /** Fails tests whose allocations are not known, instead of skipping them. */
    private static final String REQUIRED = "ducktrack.required";

    private Unknown() {}

    /** Whether such tests fail. */
    public static boolean isFailure() {
        return Boolean.getBoolean(REQUIRED);
    }

    /** Skips the test, or fails it. */
    static RuntimeException because(String why) {
        if (isFailure()) {
            throw new AssertionFailedError("-D" + REQUIRED + "=true, but " + why);
        }
        return new TestAbortedException(why);
    }
}
