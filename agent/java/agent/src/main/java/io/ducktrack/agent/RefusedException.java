package io.ducktrack.agent;

/** The agent, or the JVM, does not do what was asked. The message says why, and what to do. */
public final class RefusedException extends RuntimeException {
    private static final long serialVersionUID = 1;

    RefusedException(String why) {
        super(why);
    }

    RefusedException(String why, Throwable cause) {
        super(why, cause);
    }
}
