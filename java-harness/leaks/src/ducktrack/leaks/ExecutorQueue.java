package ducktrack.leaks;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * The queue of a pool has no bound, and its only thread waits: tasks pile up.
 *
 * <p>CULPRIT ducktrack.leaks.ExecutorQueue$Mail made in ducktrack.leaks.ExecutorQueue.send
 * held by static ducktrack.leaks.ExecutorQueue.POOL
 */
public final class ExecutorQueue {
    private static final ThreadPoolExecutor POOL =
            new ThreadPoolExecutor(1, 1, 1, TimeUnit.HOURS, new LinkedBlockingQueue<>(), task -> {
                Thread thread = new Thread(task, "mailer");
                thread.setDaemon(true);
                return thread;
            });

    private ExecutorQueue() {}

    private record Mail(int number, byte[] text) implements Runnable {
        @Override
        public void run() {
            text[0] = (byte) number;
        }
    }

    private static void send(int number) {
        POOL.execute(new Mail(number, new byte[1500]));
    }

    /** Takes no words. */
    public static void main(String[] words) throws Exception {
        CountDownLatch never = new CountDownLatch(1);
        POOL.execute(() -> {
            try {
                never.await();
            } catch (InterruptedException end) {
                Thread.currentThread().interrupt();
            }
        });
        Work.steps(ExecutorQueue::send);
    }
}
