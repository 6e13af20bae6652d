package ducktrack.known;

// PROGRAM tags=threads,hot
// EXPECT
//   point  work new Point   8_000_000 bytes=24
//   odd    work newarray int[] 4_000_000 bytes=24
//   shared create new Point 8_000_000 bytes=24
// END
/** Eight threads at once, a million rounds each, in the same methods. */
final class Threads {
    private static final int ROUNDS = 1_000_000;
    private static final int THREADS = 8;

    private static final class Point {
        final int x;
        final int y;

        Point(int x, int y) {
            this.x = x;
            this.y = y;
        }
    }

    private static Point create(int i) {
        return new Point(i, 1); // SITE shared
    }

    private static long work() {
        long sum = 0;
        for (int i = 0; i < ROUNDS; i++) {
            Point point = new Point(i, 2); // SITE point
            sum += point.x + point.y;
            if (i % 2 == 1) {
                sum += new int[2].length; // SITE odd
            }
            sum += create(i).x;
        }
        return sum;
    }

    public static void main(String[] words) throws Exception {
        long[] sums = new long[THREADS];
        Thread[] threads = new Thread[THREADS];
        for (int i = 0; i < THREADS; i++) {
            int number = i;
            threads[i] = new Thread(() -> sums[number] = work(), "worker-" + i);
            threads[i].start();
        }
        long sum = 0;
        for (int i = 0; i < THREADS; i++) {
            threads[i].join();
            sum += sums[i];
        }
        Known.of(Threads.class)
                .count("point", (long) THREADS * ROUNDS).count("odd", THREADS * ROUNDS / 2).count("shared", (long) THREADS * ROUNDS)
                .done(sum);
    }
}
