package io.ducktrack.jmh;

import io.ducktrack.allocations.AllocationSite;
import io.ducktrack.allocations.Allocations;
import io.ducktrack.allocations.Budget;
import io.ducktrack.allocations.Budgets;
import io.ducktrack.allocations.NativeLibrary;
import io.ducktrack.allocations.RunningMeasurement;
import io.ducktrack.allocations.Scope;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.infra.IterationParams;
import org.openjdk.jmh.profile.ExternalProfiler;
import org.openjdk.jmh.profile.InternalProfiler;
import org.openjdk.jmh.results.BenchmarkResult;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.runner.IterationType;

/**
 * Objects and bytes for each operation: what the code executes, whether or not the JIT removes it. The agent is loaded into the forks; the
 * counts of all threads are read before and after each iteration, and divided by its operations.
 */
public class AllocationProfiler implements ExternalProfiler, InternalProfiler {
    private RunningMeasurement running;

    /** Called by JMH. */
    protected AllocationProfiler() {}

    @Override
    public String getDescription() {
        return "Executed allocations by type, site and caller (ducktrack)";
    }

    @Override
    public Collection<String> addJVMOptions(BenchmarkParams params) {
        try {
            return List.of(NativeLibrary.option(Paths.get(System.getProperty("ducktrack.folder", "target/ducktrack"))));
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    @Override
    public Collection<String> addJVMInvokeOptions(BenchmarkParams params) {
        return Collections.emptyList();
    }

    @Override
    public void beforeTrial(BenchmarkParams params) {
        // All is done in the fork.
    }

    @Override
    @SuppressWarnings("rawtypes")
    public Collection<? extends Result> afterTrial(BenchmarkResult result, long pid, File out, File err) {
        return Collections.emptyList();
    }

    @Override
    public boolean allowPrintOut() {
        return true;
    }

    @Override
    public boolean allowPrintErr() {
        return true;
    }

    @Override
    public void beforeIteration(BenchmarkParams benchmark, IterationParams iteration) {
        running = null;
        // Warm-up iterations leave the agent free to rewrite hot methods.
        if (iteration.getType() == IterationType.MEASUREMENT) {
            running = RunningMeasurement.begin(Scope.ALL);
        }
    }

    @Override
    @SuppressWarnings("rawtypes")
    public Collection<? extends Result> afterIteration(BenchmarkParams benchmark, IterationParams iteration, IterationResult result) {
        if (running == null) {
            return Collections.emptyList();
        }
        Allocations all = running.end();
        running = null;
        List<AllocationSite> sites = withoutHarness(all);
        long operations = result.getMetadata().getAllOps();
        check(benchmark.getBenchmark(), sites, operations);
        return new OperationAmounts(sites, operations).results();
    }

    /** Without the objects of JMH's own code and of the code that it generates. */
    private static List<AllocationSite> withoutHarness(Allocations all) {
        List<AllocationSite> sites = new ArrayList<>(all.sites());
        sites.removeIf(site -> site.isIn("org.openjdk.jmh..") || isGenerated(site));
        return sites;
    }

    private static boolean isGenerated(AllocationSite site) {
        return site.place().className().contains(".jmh_generated.") || site.caller() != null && site.caller().className().contains(".jmh_generated.");
    }

    private static void check(String benchmark, List<AllocationSite> sites, long operations) {
        Budgets budgets = Budgets.ofProject();
        List<Budget> limits = new ArrayList<>(budgets.of("benchmark", benchmark));
        limits.addAll(budgets.ofScopes());
        for (Budget budget : limits) {
            List<AllocationSite> limited = new ArrayList<>(sites);
            limited.removeIf(site -> !budget.has(site));
            OperationAmounts amounts = new OperationAmounts(limited, operations);
            String subject = budget.isOfScope() ? benchmark + ": " + budget.name() : benchmark;
            over(subject, budget, budget.unit().equals("objects") ? amounts.objects() : amounts.bytes(), budgets.file());
        }
    }

    /** Fails the benchmark: with {@code -foe true} the run ends. */
    private static void over(String subject, Budget budget, double amount, String file) {
        if (amount > budget.most()) {
            throw new IllegalStateException(subject + " allocates " + amount + " " + budget.unit() + " in each operation, the limit in " + file + " is " + budget.most());
        }
    }
}
