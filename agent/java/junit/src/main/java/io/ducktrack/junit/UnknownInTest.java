package io.ducktrack.junit;

import io.ducktrack.allocations.Unknown;
import org.opentest4j.AssertionFailedError;
import org.opentest4j.TestAbortedException;

/** A test whose allocations are not known is skipped, or fails. */
public final class UnknownInTest implements Unknown {
    /** Fails tests whose allocations are not known, instead of skipping them. */
    private static final String REQUIRED = "ducktrack.required";

    /** Called by the service loader. */
    public UnknownInTest() {}

    /** Whether such tests fail. */
    static boolean isFailure() {
        return Boolean.getBoolean(REQUIRED);
    }

    @Override
    public RuntimeException end(String why) {
        if (isFailure()) {
            throw new AssertionFailedError("-D" + REQUIRED + "=true, but " + why);
        }
        return new TestAbortedException(why);
    }
}
