package io.ducktrack.junit;

import io.ducktrack.allocations.Allocations;
import io.ducktrack.allocations.Budget;

/** A limit of {@code ducktrack.toml}: for the test, or for the part of it that a package or a method makes. */
final class BudgetLimit implements Limit {
    private final Budget budget;
    private final CountLimit limit;

    BudgetLimit(String test, Budget budget, String file) {
        this.budget = budget;
        CountLimit.Unit unit = budget.unit().equals("objects") ? CountLimit.Unit.OBJECTS : CountLimit.Unit.BYTES;
        String subject = budget.isOfScope() ? test + ": " + budget.name() : test;
        limit = new CountLimit(subject, unit, budget.most(), budget.unit() + " = %d in " + file.replace("%", "%%"));
    }

    @Override
    public String broken(Allocations found) {
        return limit.broken(found.where(budget::has));
    }
}
