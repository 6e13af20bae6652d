package ducktrack.leaks;

import java.util.concurrent.locks.LockSupport;

/** What every program does beside its own part: steps that make garbage, so that there are collections. */
final class Work {
    /** Steps of every program: the property {@code ducktrack.leaks.steps}. */
    static final int STEPS = Integer.getInteger("ducktrack.leaks.steps", 3000);

    private static final int GARBAGE = 100;
    /**
     * The garbage of this many steps stays alive: the property {@code ducktrack.leaks.keep}. Such objects get old and die there, so that the old space is
     * collected again and again, as in a program that works.
     */
    private static final int KEPT = Integer.getInteger("ducktrack.leaks.keep", 0);

    /** A step takes at least this many microseconds: the property {@code ducktrack.leaks.pace}. */
    private static final long PACE = Integer.getInteger("ducktrack.leaks.pace", 0);

    private static final byte[][] RECENT = new byte[KEPT * GARBAGE][];
    private static byte[] lost;

    private Work() {}

    /** One step of a program. */
    interface Step {
        void run(int number) throws Exception;
    }

    /** Runs all steps, about 200 KB of garbage between two of them. */
    static void steps(Step step) throws Exception {
        for (int number = 0; number < STEPS; number++) {
            if (PACE > 0) {
                LockSupport.parkNanos(PACE * 1000);
            }
            step.run(number);
            for (int count = 0; count < GARBAGE; count++) {
                lost = new byte[2000];
                if (KEPT > 0) {
                    RECENT[(number % KEPT) * GARBAGE + count] = lost;
                }
            }
        }
    }
}
