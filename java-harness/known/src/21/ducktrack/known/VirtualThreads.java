package ducktrack.known;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

// PROGRAM tags=threads,virtual
// EXPECT
//   start  run  newarray int[]  10_000 bytes=24
//   loop   run  new Point       1_000_000 bytes=16
//   across step newarray long[] 1_000_000 bytes=24
//   end    run  newarray byte[] 10_000 bytes=24
// END
/** 10,000 virtual threads that yield, park and sleep in the middle of their methods, and so change their carriers. */
final class VirtualThreads {
    private static final int THREADS = 10_000;
    private static final int ROUNDS = 100;

    private static final class Point {
        final int x;

        Point(int x) {
            this.x = x;
        }
    }

    private static long step(int i) {
        long[] across = new long[1]; // SITE across
        if (i % 10 == 0) {
            Thread.yield();
        } else if (i % 33 == 0) {
            LockSupport.parkNanos(1_000);
        }
        return across.length;
    }

    private static void run(long[] sums, int number) {
        int[] start = new int[2]; // SITE start
        long sum = start.length;
        for (int i = 0; i < ROUNDS; i++) {
            sum += new Point(i).x + step(i); // SITE loop
        }
        if (number % 50 == 0) {
            try {
                Thread.sleep(1);
            } catch (InterruptedException unexpected) {
                throw new IllegalStateException(unexpected);
            }
        }
        sums[number] = sum + new byte[8].length; // SITE end
    }

    public static void main(String[] words) throws Exception {
        long[] sums = new long[THREADS];
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            int number = i;
            threads.add(Thread.startVirtualThread(() -> run(sums, number)));
        }
        long sum = 0;
        for (int i = 0; i < THREADS; i++) {
            threads.get(i).join();
            sum += sums[i];
        }
        Known.of(VirtualThreads.class)
                .count("start", THREADS).count("loop", THREADS * ROUNDS).count("across", THREADS * ROUNDS).count("end", THREADS)
                .done(sum);
    }
}
