package io.ducktrack.allocations;

import java.util.concurrent.Callable;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;

/**
 * A context that is open on a thread: what the thread allocates until it is closed is of this context, exactly.
 *
 * <pre>
 * try (Context checkout = Allocations.context("checkout")) {
 *     ...
 * }
 * </pre>
 *
 * <p>Contexts nest, and each is closed on the thread that opened it. A second closing, and one on another thread, do nothing. Without the
 * agent nothing happens at all. The method that opens and closes a context counts its own objects exactly. A method that opens it in one
 * call and closes it in another, of methods of its own, may count its own objects on the wrong side: its callees are exact.
 */
public final class Context implements AutoCloseable {
    /** The kind of contexts without one. */
    static final String KIND = "own";

    private final Thread thread;
    private final ContextSwitch agent;
    private boolean isOpen;

    private Context(ContextSwitch agent) {
        this.agent = agent;
        thread = Thread.currentThread();
    }

    static Context open(String kind, String name) {
        Context context = new Context(ContextSwitch.present());
        if (context.agent != null) {
            context.agent.enter(kind, name);
            context.isOpen = true;
        }
        return context;
    }

    @Override
    public void close() {
        if (isOpen && Thread.currentThread() == thread) {
            isOpen = false;
            agent.leave.run();
        }
    }

    /**
     * A task that runs in the contexts in which this call is made; wherever it runs, its objects are theirs, and it is no execution of its
     * own.
     */
    public static Runnable carrying(Runnable task) {
        ContextSwitch agent = ContextSwitch.present();
        int contexts = agent == null ? 0 : agent.current.current();
        return contexts == 0 ? task : () -> {
            agent.enterCarried.enter(contexts);
            try {
                task.run();
            } finally {
                agent.leave.run();
            }
        };
    }

    /** The same for a task with a result. */
    public static <T> Callable<T> carrying(Callable<T> task) {
        ContextSwitch agent = ContextSwitch.present();
        int contexts = agent == null ? 0 : agent.current.current();
        return contexts == 0 ? task : () -> {
            agent.enterCarried.enter(contexts);
            try {
                return task.call();
            } finally {
                agent.leave.run();
            }
        };
    }

    /** An executor whose tasks run in the contexts in which they are handed over. */
    public static Executor carrying(Executor executor) {
        return task -> executor.execute(carrying(task));
    }

    /** The same with the rest of an executor service. */
    public static ExecutorService carrying(ExecutorService service) {
        return new CarryingExecutor(service);
    }
}
