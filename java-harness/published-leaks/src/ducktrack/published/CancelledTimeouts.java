package ducktrack.published;

import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Each request has a timeout of ten minutes, which is cancelled when the answer is there. The executor keeps cancelled tasks until their time has come (JDK-6602600); the control calls
 * {@code setRemoveOnCancelPolicy}, which was added for that.
 *
 * <p>KIND JDK HALF held-out HEAP 96
 *
 * <p>CULPRIT java.util.concurrent.ScheduledThreadPoolExecutor$DelayedWorkQueue.queue
 */
public final class CancelledTimeouts {
    private CancelledTimeouts() {}

    /** Takes no words. */
    public static void main(String[] words) {
        ScheduledThreadPoolExecutor timeouts = new ScheduledThreadPoolExecutor(1);
        timeouts.setRemoveOnCancelPolicy(Boolean.getBoolean("ducktrack.leaks.repaired"));
        long sum = 0;
        for (int request = 0; request < 150_000; request++) {
            byte[] body = new byte[200 + request % 50];
            ScheduledFuture<?> timeout = timeouts.schedule(() -> System.out.println(body.length), 10, TimeUnit.MINUTES);
            sum += new String(body, 0, 100).length() + new byte[600].length;
            timeout.cancel(false);
        }
        System.out.println(sum);
        System.exit(0);
    }
}
