package io.ducktrack.allocations;

import java.util.ServiceLoader;

/**
 * What happens where the allocations of a piece are not known. A test framework has an end of its own for such a test: a service that the
 * {@link ServiceLoader} finds.
 */
public interface Unknown {
    /** What to throw. */
    RuntimeException end(String why);

    /** What is thrown in this JVM: that of the first service, or else an {@link IllegalStateException}. */
    static RuntimeException because(String why) {
        return ServiceLoader.load(Unknown.class).findFirst().map(unknown -> unknown.end(why)).orElseGet(() -> new IllegalStateException(why));
    }
}
