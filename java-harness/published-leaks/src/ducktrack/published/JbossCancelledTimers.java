package ducktrack.published;

import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jboss.threads.EnhancedQueueExecutor;

/**
 * Each request sets a timer and cancels it. The executor of jboss-threads 3.5.1 keeps cancelled tasks until their time has come (jboss-threads issue 139). Later
 * ones drop what such a task would have run, and keep the task; the time of the control's timers has come soon.
 *
 * <p>KIND executor HALF build HEAP 48 LIBRARY jboss-threads
 *
 * <p>CULPRIT org.jboss.threads.EnhancedQueueExecutor$TreeSetQueue. org.jboss.threads.EnhancedQueueExecutor.schedule
 */
public final class JbossCancelledTimers {
    private static final boolean IS_REPAIRED = Boolean.getBoolean("ducktrack.leaks.repaired");

    private JbossCancelledTimers() {}

    /** Takes no words. */
    public static void main(String[] words) throws Exception {
        EnhancedQueueExecutor executor = new EnhancedQueueExecutor.Builder().setCorePoolSize(1).setMaximumPoolSize(2).build();
        long sum = 0;
        for (int request = 0; request < 40_000; request++) {
            byte[] body = new byte[600];
            ScheduledFuture<?> timer = executor.schedule(() -> body[0]++, IS_REPAIRED ? 1 : 3_600_000, TimeUnit.MILLISECONDS);
            sum += new String(new char[2_000]).length();
            timer.cancel(false);
        }
        System.out.println(sum);
        System.exit(0);
    }
}
