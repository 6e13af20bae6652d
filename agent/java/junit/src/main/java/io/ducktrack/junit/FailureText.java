package io.ducktrack.junit;

import io.ducktrack.allocations.AllocationSite;
import java.util.List;

/** The message of a broken limit: limit, figure, the largest sites, how to accept. */
final class FailureText {
    private static final int MOST_SITES = 5;

    private FailureText() {}

    static String of(String summary, List<AllocationSite> sites, String accept) {
        StringBuilder text = new StringBuilder(summary);
        for (AllocationSite site : sites.subList(0, Math.min(MOST_SITES, sites.size()))) {
            text.append(System.lineSeparator()).append("  ").append(site);
        }
        int left = sites.size() - MOST_SITES;
        if (left > 0) {
            text.append(System.lineSeparator()).append("  and ").append(left).append(left == 1 ? " more site" : " more sites");
        }
        return text.append(System.lineSeparator()).append("To accept: ").append(accept).toString();
    }

    /** {@code 1 object}, {@code 2 objects}. */
    static String counted(long number, String noun) {
        return number + " " + noun + (number == 1 ? "" : "s");
    }
}
