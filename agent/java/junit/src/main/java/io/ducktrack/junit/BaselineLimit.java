package io.ducktrack.junit;

import io.ducktrack.allocations.AllocationSite;
import io.ducktrack.allocations.Allocations;
import io.ducktrack.allocations.Baseline;
import io.ducktrack.allocations.Baseline.Figures;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;

/** The figures in the file of baselines. */
final class BaselineLimit implements Limit {
    /** Tests of one class may run beside each other, and write one file. */
    private static final Object FILES = new Object();

    private final Class<?> testClass;
    private final String test;
    private final AllocationBaseline.By by;
    private final Path file;

    /** {@code invocation} tells the invocations of one method apart; empty: there is one. */
    BaselineLimit(Class<?> testClass, String method, String invocation, AllocationBaseline.By by) {
        this.testClass = testClass;
        this.test = invocation.isEmpty() ? method : method + " " + invocation;
        this.by = by;
        String folder = System.getProperty("ducktrack.baselines", "src/test/allocations");
        this.file = Paths.get(System.getProperty("basedir", ""), folder).resolve(testClass.getName() + ".txt");
    }

    @Override
    public String broken(Allocations found) {
        SortedMap<String, Figures> now = Baseline.lines(found, by == AllocationBaseline.By.PACKAGE);
        String prefix = test + ": ";
        synchronized (FILES) {
            Baseline baseline = Baseline.read(file);
            if (isUpdating()) {
                baseline.accept(prefix, now, found);
                return null;
            }
            return compared(baseline, baseline.of(prefix), now, found);
        }
    }

    private static boolean isUpdating() {
        String update = System.getProperty("ducktrack.update");
        return update != null && !update.equals("false");
    }

    private String compared(Baseline baseline, SortedMap<String, Figures> before, SortedMap<String, Figures> now, Allocations found) {
        boolean bytesCount = baseline.hasLayoutOf(found);
        List<String> grown = new ArrayList<>();
        now.forEach((line, figures) -> {
            if (isMore(figures, before.get(line), bytesCount) && (hasOneAttribution(line, before, now) || isMore(ofPlace(line, now), ofPlace(line, before), bytesCount))) {
                grown.add(line);
            }
        });
        if (grown.isEmpty()) {
            return null;
        }
        List<AllocationSite> sites = new ArrayList<>();
        for (AllocationSite site : found.sites()) {
            if (grown.contains(by == AllocationBaseline.By.PACKAGE ? Baseline.packageOf(site) : Baseline.line(site))) {
                sites.add(site);
            }
        }
        return FailureText.of(summary(baseline, before, now), sites, "mvn test -Dtest=" + testClass.getSimpleName() + " -Dducktrack.update");
    }

    private static boolean isMore(Figures now, Figures accepted, boolean bytesCount) {
        return accepted == null || now.objects > accepted.objects || bytesCount && now.bytes > accepted.bytes;
    }

    /**
     * Whether callers are known both before and now, or never are. The agent learns the callers of a library method while the program runs,
     * when the method turns out to allocate much; then only sums over all callers are comparable.
     */
    private static boolean hasOneAttribution(String line, SortedMap<String, Figures> before, SortedMap<String, Figures> now) {
        String place = Baseline.placeOf(line);
        return !before.containsKey(place) && !now.containsKey(place) || place.equals(line) && before.keySet().stream().noneMatch(other -> isOf(place, other)) && now.keySet().stream().noneMatch(other -> isOf(place, other));
    }

    private static boolean isOf(String place, String line) {
        return !line.equals(place) && Baseline.placeOf(line).equals(place);
    }

    /** The sum over all callers, or null if there is no line. */
    private static Figures ofPlace(String line, SortedMap<String, Figures> lines) {
        String place = Baseline.placeOf(line);
        return lines.entrySet().stream().filter(entry -> Baseline.placeOf(entry.getKey()).equals(place)).map(Map.Entry::getValue).reduce(Figures::plus).orElse(null);
    }

    private String summary(Baseline baseline, SortedMap<String, Figures> before, SortedMap<String, Figures> now) {
        String name = testClass.getName() + "." + test;
        String figures = FailureText.counted(objects(now), "object");
        if (before.isEmpty()) {
            return name + " allocated " + figures + ", and has no baseline in " + file;
        }
        String other = baseline.otherJava();
        return name + " allocated " + figures + ", accepted are " + objects(before) + "; more or larger than accepted" + (other == null ? "" : " (" + other + ")") + ":";
    }

    private static long objects(SortedMap<String, Figures> lines) {
        return lines.values().stream().mapToLong(figures -> figures.objects).sum();
    }
}
