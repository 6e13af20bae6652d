package ducktrack.published;

import com.coreoz.wisp.Scheduler;
import com.coreoz.wisp.schedule.Schedules;
import java.time.Duration;
import java.util.concurrent.Semaphore;

/**
 * Jobs that run once, each with a name of its own. Wisp keeps those that have ended by their names (Wisp issue 21); later versions can be told to remove them.
 *
 * <p>KIND scheduler HALF held-out HEAP 48 LIBRARY wisp
 *
 * <p>CULPRIT com.coreoz.wisp.Scheduler.indexedJobsByName
 */
public final class WispTerminatedJobs {
    private static final boolean IS_REPAIRED = Boolean.getBoolean("ducktrack.leaks.repaired");

    private WispTerminatedJobs() {}

    /** Takes no words. */
    public static void main(String[] words) throws Exception {
        Scheduler scheduler = new Scheduler();
        Semaphore done = new Semaphore(0);
        for (int job = 0; job < 6_000; job++) {
            String name = "job-" + job;
            byte[] order = new byte[2_000];
            scheduler.schedule(
                    name,
                    () -> {
                        order[0]++;
                        done.release();
                    },
                    Schedules.executeOnce(Schedules.fixedDelaySchedule(Duration.ofMillis(1))));
            done.acquire();
            if (IS_REPAIRED && job >= 10) {
                remove(scheduler, "job-" + (job - 10));
            }
        }
        System.exit(0);
    }

    private static void remove(Scheduler scheduler, String name) throws Exception {
        scheduler.getClass().getMethod("remove", String.class).invoke(scheduler, name);
    }
}
