package io.ducktrack.junit;

import io.ducktrack.allocations.SurvivorGroup;
import io.ducktrack.allocations.Survivors;
import java.util.List;

/** Nothing stays of most repetitions. */
final class LeakLimit implements SurvivorLimit {
    private final String test;
    private final int repetitions;

    LeakLimit(String test, int repetitions) {
        if (repetitions < 4) {
            throw new IllegalArgumentException(test + ": @NoLeak(repeat = " + repetitions + ") cannot tell growth from a cache that fills up: use 4 or more");
        }
        this.test = test;
        this.repetitions = repetitions;
    }

    @Override
    public int repetitions() {
        return repetitions;
    }

    @Override
    public String broken(Survivors found) {
        List<SurvivorGroup> leaks = found.leaks();
        if (leaks.isEmpty()) {
            return null;
        }
        String summary = test + " leaks: objects of " + leaks.get(0).repetitions() + " of its " + repetitions + " repetitions stay";
        return SurvivorText.of(summary, leaks, null);
    }
}
