package ducktrack.published;

import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Each request sets a timer and cancels it a while later; the executor removes cancelled tasks at once.
 *
 * <p>KIND scheduler HEAP 48 CONTROL
 */
public final class CancelledTimers {
    private static final ScheduledThreadPoolExecutor TIMERS = new ScheduledThreadPoolExecutor(1);
    private static final ScheduledFuture<?>[] PENDING = new ScheduledFuture<?>[2_000];

    private CancelledTimers() {}

    /** Takes no words. */
    public static void main(String[] words) throws Exception {
        TIMERS.setRemoveOnCancelPolicy(true);
        for (int request = 0; request < 200_000; request++) {
            byte[] body = new byte[500];
            int at = request % PENDING.length;
            if (PENDING[at] != null) {
                PENDING[at].cancel(false);
            }
            PENDING[at] = TIMERS.schedule(() -> body[0]++, 1, TimeUnit.HOURS);
        }
        System.exit(0);
    }
}
