package io.ducktrack.allocations;

import java.util.List;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;

/** An executor service whose tasks run in the contexts in which they are handed over. */
final class CarryingExecutor extends AbstractExecutorService {
    private final ExecutorService service;

    CarryingExecutor(ExecutorService service) {
        this.service = service;
    }

    @Override
    public void execute(Runnable task) {
        service.execute(Context.carrying(task));
    }

    @Override
    public void shutdown() {
        service.shutdown();
    }

    @Override
    public List<Runnable> shutdownNow() {
        return service.shutdownNow();
    }

    @Override
    public boolean isShutdown() {
        return service.isShutdown();
    }

    @Override
    public boolean isTerminated() {
        return service.isTerminated();
    }

    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) throws InterruptedException {
        return service.awaitTermination(timeout, unit);
    }
}
