package ducktrack.known;

// PROGRAM tags=threads,exceptions
// EXPECT
//   method   add     newarray int[]   4N bytes=24
//   static   count   newarray long[]  4N bytes=24
//   block    block   newarray short[] 4N bytes=24
//   thrown   block   new Refused      N
//   caught   work    newarray byte[]  N  bytes=24
//   after    work    newarray char[]  3N bytes=24
// END
/** Synchronized methods and blocks on four threads, left normally and by exceptions. */
final class Synchronized {
    private static final class Refused extends RuntimeException {
        private static final long serialVersionUID = 1;

        Refused() {
            super(null, null, false, false);
        }
    }

    private static long total;
    private long sum;

    private synchronized void add() {
        sum += new int[1].length; // SITE method
    }

    private static synchronized void count() {
        total += new long[1].length; // SITE static
    }

    private void block(int i) {
        synchronized (this) {
            sum += new short[1].length; // SITE block
            synchronized (Synchronized.class) {
                if (i % 4 == 0) {
                    throw new Refused(); // SITE thrown
                }
            }
        }
    }

    private void work() {
        long own = 0;
        for (int i = 0; i < Known.N; i++) {
            add();
            count();
            try {
                block(i);
                own += new char[2].length; // SITE after
            } catch (Refused expected) {
                own += new byte[1].length; // SITE caught
            }
        }
        synchronized (this) {
            sum += own;
        }
    }

    public static void main(String[] words) throws Exception {
        Synchronized shared = new Synchronized();
        Thread[] threads = new Thread[4];
        for (int i = 0; i < threads.length; i++) {
            threads[i] = new Thread(shared::work);
            threads[i].start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        Known.of(Synchronized.class)
                .count("method", 4 * Known.N).count("static", 4 * Known.N).count("block", 4 * Known.N).count("thrown", Known.N)
                .count("caught", Known.N).count("after", 3 * Known.N)
                .done(shared.sum + total);
    }
}
