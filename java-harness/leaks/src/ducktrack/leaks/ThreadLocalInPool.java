package ducktrack.leaks;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * A thread of a pool keeps what each task has logged in a thread local that no task clears.
 *
 * <p>CULPRIT ducktrack.leaks.ThreadLocalInPool$Entry made in ducktrack.leaks.ThreadLocalInPool.log
 * held by thread "worker"
 */
public final class ThreadLocalInPool {
    private static final ThreadLocal<List<Entry>> LOG = ThreadLocal.withInitial(ArrayList::new);

    private ThreadLocalInPool() {}

    private record Entry(int task, byte[] text) {}

    private static void log(int task) {
        LOG.get().add(new Entry(task, new byte[1500]));
    }

    /** Takes no words. */
    public static void main(String[] words) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(1, task -> {
            Thread thread = new Thread(task, "worker");
            thread.setDaemon(true);
            return thread;
        });
        Work.steps(number -> pool.submit(() -> log(number)).get());
    }
}
