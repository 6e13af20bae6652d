package io.ducktrack.jmh;

import io.ducktrack.allocations.AllocationSite;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.openjdk.jmh.results.AggregationPolicy;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.ScalarResult;

/** Objects and bytes of an iteration, for each of its operations. */
final class OperationAmounts {
    private static final int MOST_ROWS = 10;
    /** JMH's own work in JDK classes is less than one object in this many operations. */
    private static final double RESOLUTION = 1000;

    private final List<AllocationSite> sites;
    private final long operations;

    OperationAmounts(List<AllocationSite> sites, long operations) {
        this.sites = sites;
        this.operations = Math.max(1, operations);
    }

    double objects() {
        return each(sites.stream().mapToLong(AllocationSite::objects).sum());
    }

    double bytes() {
        return each(sites.stream().mapToLong(AllocationSite::bytes).sum());
    }

    private double each(long amount) {
        return Math.round(amount * RESOLUTION / operations) / RESOLUTION;
    }

    /** The totals, the types and the sites with most objects. */
    List<Result<?>> results() {
        List<Result<?>> results = new ArrayList<>();
        results.add(result("ducktrack.objects", objects(), "objects/op"));
        results.add(result("ducktrack.bytes", bytes(), "B/op"));
        Map<String, Long> types = new TreeMap<>();
        Map<String, Long> places = new TreeMap<>();
        for (AllocationSite site : sites) {
            types.merge(site.type(), site.objects(), Long::sum);
            String caller = site.caller() == null ? "" : " for " + site.caller();
            places.merge(site.type() + " at " + site.place() + caller, site.objects(), Long::sum);
        }
        add(results, "ducktrack.type: ", types);
        add(results, "ducktrack.site: ", places);
        return results;
    }

    private void add(List<Result<?>> results, String prefix, Map<String, Long> amounts) {
        amounts.entrySet().stream()
                .filter(entry -> each(entry.getValue()) > 0)
                .sorted(Comparator.comparing((Map.Entry<String, Long> entry) -> -entry.getValue()))
                .limit(MOST_ROWS)
                .forEach(entry -> results.add(result(prefix + entry.getKey(), each(entry.getValue()), "objects/op")));
    }

    private static Result<?> result(String label, double value, String unit) {
        // JMH's writer of JSON breaks lines at brackets.
        return new ScalarResult(label.replace("[]", " array"), value, unit, AggregationPolicy.AVG);
    }
}
