package io.ducktrack.junit;

import io.ducktrack.allocations.Survivors;

/** A limit for what a test leaves behind. */
interface SurvivorLimit {
    /** How often the test method is run for it. */
    int repetitions();

    /** Why it is broken, as a whole message, or null if it holds. */
    String broken(Survivors found);
}
