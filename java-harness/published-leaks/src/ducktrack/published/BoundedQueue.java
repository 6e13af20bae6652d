package ducktrack.published;

import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/**
 * More tasks than two threads get done; the queue has a bound, and then the caller does them.
 *
 * <p>KIND scheduler with a bounded queue HEAP 48 CONTROL
 */
public final class BoundedQueue {
    private static final ThreadPoolExecutor POOL =
            new ThreadPoolExecutor(2, 2, 1, TimeUnit.HOURS, new ArrayBlockingQueue<>(5_000), new ThreadPoolExecutor.CallerRunsPolicy());

    private BoundedQueue() {}

    /** Takes no words. */
    public static void main(String[] words) throws Exception {
        LongAdder sum = new LongAdder();
        for (int task = 0; task < 300_000; task++) {
            byte[] work = new byte[1_000];
            POOL.execute(() -> {
                int all = 0;
                for (byte one : work) {
                    all += one + new byte[2].length;
                }
                sum.add(all);
            });
        }
        POOL.shutdown();
        POOL.awaitTermination(1, TimeUnit.MINUTES);
        System.out.println(sum);
    }
}
