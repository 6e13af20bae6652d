package ducktrack.harness;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/** What a workload may ask of the harness: its size, its threads and where the build put things. */
public final class Run {
    private final int size;
    private final int threads;
    private final Path target;
    private final ThreadMeter meter;

    Run(int size, int threads, Path target, ThreadMeter meter) {
        this.size = size;
        this.threads = threads;
        this.target = target;
        this.meter = meter;
    }

    /** How much work one iteration does; the workload says in which unit. */
    public int size() {
        return size;
    }

    /** How many threads do the work, where the workload is parallel. */
    public int threads() {
        return threads;
    }

    /** The harness's build folder. */
    public Path target() {
        return target;
    }

    /** To be called by a thread that is about to end and that the harness did not start: its counters would be lost. */
    public void reportThread() {
        meter.report();
    }

    /** Runs all tasks at once, each on a thread of its own that reports before it ends; the results in order of the tasks. */
    public <T> List<T> parallel(List<? extends Callable<T>> tasks) throws Exception {
        List<FutureTask<T>> futures = new ArrayList<>();
        for (int i = 0; i < tasks.size(); i++) {
            FutureTask<T> future = new FutureTask<>(reporting(tasks.get(i)));
            futures.add(future);
            Thread thread = new Thread(future, "worker-" + i);
            thread.setContextClassLoader(Thread.currentThread().getContextClassLoader());
            thread.start();
        }
        List<T> results = new ArrayList<>();
        for (FutureTask<T> future : futures) {
            try {
                results.add(future.get());
            } catch (ExecutionException failure) {
                throw new IllegalStateException("a worker failed", failure.getCause());
            }
        }
        return results;
    }

    private <T> Callable<T> reporting(Callable<T> task) {
        return () -> {
            try {
                return task.call();
            } finally {
                meter.report();
            }
        };
    }
}
