package io.ducktrack.junit;

import io.ducktrack.allocations.Allocations;

/** No object, at all or in some packages. */
final class NothingLimit implements Limit {
    private final String test;
    private final String[] patterns;

    NothingLimit(String test, String[] patterns) {
        this.test = test;
        this.patterns = patterns;
    }

    @Override
    public String broken(Allocations found) {
        Allocations there = patterns.length == 0 ? found : found.in(patterns);
        if (there.objects() == 0) {
            return null;
        }
        String where = patterns.length == 0 ? "" : " in " + String.join(", ", patterns);
        String summary = test + " allocated " + FailureText.counted(there.objects(), "object") + " (" + there.bytes() + " bytes)" + where + ", the limit is none";
        return FailureText.of(summary, there.sites(), "replace @NoAllocation by @MaxObjects(" + there.objects() + ")");
    }
}
