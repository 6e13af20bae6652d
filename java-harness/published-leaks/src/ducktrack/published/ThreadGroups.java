package ducktrack.published;

/**
 * A thread group for each job, left when the job has ended. Up to JDK 18 a group that nobody destroys is kept by its parent (release notes of JDK 19: java.lang.ThreadGroup). The
 * control destroys it.
 *
 * <p>KIND JDK HALF held-out HEAP 24
 *
 * <p>CULPRIT java.lang.ThreadGroup.groups java.lang.ThreadGroup.add
 */
public final class ThreadGroups {
    private static final boolean IS_REPAIRED = Boolean.getBoolean("ducktrack.leaks.repaired");

    private ThreadGroups() {}

    /** The group of a job, with what the job needs. */
    private static final class Job extends ThreadGroup {
        private final byte[] order = new byte[600];

        Job(int number) {
            super("job " + number);
        }

        int run() {
            return order.length + new byte[2_000].length;
        }
    }

    /** Takes no words. */
    @SuppressWarnings({"deprecation", "removal"})
    public static void main(String[] words) throws Exception {
        long sum = 0;
        for (int number = 0; number < 12_000; number++) {
            Job job = new Job(number);
            sum += job.run();
            if (IS_REPAIRED) {
                job.destroy();
            }
        }
        System.out.println(sum);
    }
}
