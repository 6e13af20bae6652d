package io.ducktrack.junit;

import io.ducktrack.allocations.Allocations;

/** A limit for the allocations of a test. */
interface Limit {
    /** Why it is broken, as a whole message, or null if it holds. */
    String broken(Allocations found);
}
