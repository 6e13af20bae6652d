package io.ducktrack.junit;

import io.ducktrack.allocations.AllocationSite;
import io.ducktrack.allocations.Allocations;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** At most so many objects or bytes. */
final class CountLimit implements Limit {
    /** The limited amount. */
    enum Unit {
        OBJECTS("object"),
        BYTES("byte");

        private final String noun;

        Unit(String noun) {
            this.noun = noun;
        }
    }

    private final String test;
    private final Unit unit;
    private final long most;
    private final String accept;

    /** {@code accept}: where the figure stands, {@code %d} for the new one. */
    CountLimit(String test, Unit unit, long most, String accept) {
        this.test = test;
        this.unit = unit;
        this.most = most;
        this.accept = accept;
    }

    @Override
    public String broken(Allocations found) {
        long figure = unit == Unit.OBJECTS ? found.objects() : found.bytes();
        if (figure <= most) {
            return null;
        }
        List<AllocationSite> sites = new ArrayList<>(found.sites());
        if (unit == Unit.BYTES) {
            sites.sort(Comparator.comparingLong((AllocationSite site) -> -site.bytes()));
        }
        String other = unit == Unit.OBJECTS ? FailureText.counted(found.bytes(), "byte") : FailureText.counted(found.objects(), "object");
        return FailureText.of(test + " allocated " + FailureText.counted(figure, unit.noun) + " (" + other + "), the limit is " + most, sites, String.format(accept, figure));
    }
}
