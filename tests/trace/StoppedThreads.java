import java.util.concurrent.CountDownLatch;

/**
 * Threads that allocate while one of them collects without a pause in between: most collections stop a thread between an allocation and its event, or
 * in the middle of writing the event.
 *
 * <p>{@code java StoppedThreads SECONDS}
 */
public final class StoppedThreads {
    private static final int KEPT = 512;

    private StoppedThreads() {}

    /** Seconds. */
    public static void main(String[] words) throws InterruptedException {
        long end = System.nanoTime() + Long.parseLong(words[0]) * 1_000_000_000L;
        int threads = 3;
        Object[][] kept = new Object[threads][KEPT];
        CountDownLatch done = new CountDownLatch(threads);
        for (int number = 0; number < threads; number++) {
            Object[] mine = kept[number];
            int seed = number;
            new Thread(() -> {
                for (int step = seed; System.nanoTime() < end; step++) {
                    mine[step % KEPT] = made(step);
                }
                done.countDown();
            }).start();
        }
        while (done.getCount() > 0) {
            System.gc();
        }
        done.await();
        System.out.println(kept.length);
    }

    private static Object made(int step) {
        switch (step % 5) {
            case 0:
                return new Object[step % 7][step % 3];
            case 1:
                return new int[2][3][step % 4];
            case 2:
                return new int[step % 90];
            case 3:
                return new StringBuilder("text").append(step).toString();
            default:
                return new Object();
        }
    }
}
