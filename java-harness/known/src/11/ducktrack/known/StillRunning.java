package ducktrack.known;

import java.util.concurrent.CountDownLatch;

// PROGRAM tags=exit,threads
// EXPECT
//   waiting wait1 newarray int[]  4 bytes=24
//   spun    spin  newarray byte[] 1 bytes=24
//   loop    spin  newarray long[] N bytes=24
// END
/** Daemon threads that are in the middle of methods when the VM ends: waiting, and in a loop that never ends. */
final class StillRunning {
    private static final CountDownLatch NEVER = new CountDownLatch(1);
    private static volatile boolean spinning;

    private static void wait1(CountDownLatch arrived) {
        int[] waiting = new int[2]; // SITE waiting
        arrived.countDown();
        try {
            NEVER.await();
        } catch (InterruptedException unexpected) {
            throw new IllegalStateException(Integer.toString(waiting.length), unexpected);
        }
    }

    private static void spin(CountDownLatch arrived) {
        long sum = new byte[3].length; // SITE spun
        for (long i = 0; ; i++) {
            if (i < Known.N) {
                sum += new long[1].length; // SITE loop
            } else if (i == Known.N) {
                arrived.countDown();
            }
            spinning = sum > 0;
        }
    }

    public static void main(String[] words) throws Exception {
        CountDownLatch arrived = new CountDownLatch(5);
        for (int i = 0; i < 5; i++) {
            Thread thread = new Thread(i == 4 ? () -> spin(arrived) : () -> wait1(arrived));
            thread.setDaemon(true);
            thread.start();
        }
        arrived.await();
        Known.of(StillRunning.class).count("waiting", 4).count("spun", 1).count("loop", Known.N).done(spinning ? 1 : 2);
    }
}
