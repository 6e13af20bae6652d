package ducktrack.known;

// PROGRAM tags=threads
// EXPECT
//   thread main new Worker   2_000
//   first  Worker.run new Point 2_000 bytes=16
//   loop   Worker.run new Point 200_000 bytes=16
//   last   Worker.run newarray int[] 2_000 bytes=24
//   dying  Worker.run new Stop 200
// END
/** 2,000 threads that end at once, some by an uncaught exception: what each allocated outlives it. */
final class ShortThreads {
    private static final int THREADS = 2_000;

    private static final class Point {
        final int x;

        Point(int x) {
            this.x = x;
        }
    }

    private static final class Stop extends RuntimeException {
        private static final long serialVersionUID = 1;

        Stop() {
            super(null, null, false, false);
        }
    }

    private static final class Worker extends Thread {
        private final int number;
        long sum;

        Worker(int number) {
            this.number = number;
            setUncaughtExceptionHandler((thread, stop) -> sum++);
        }

        @Override
        public void run() {
            Point first = new Point(1); // SITE first
            for (int i = 0; i < 100; i++) {
                sum += new Point(i).x; // SITE loop
            }
            sum += first.x + new int[1].length; // SITE last
            if (number % 10 == 0) {
                throw new Stop(); // SITE dying
            }
        }
    }

    public static void main(String[] words) throws Exception {
        long sum = 0;
        Worker[] running = new Worker[10];
        for (int i = 0; i < THREADS; i++) {
            Worker worker = new Worker(i); // SITE thread
            worker.start();
            Worker earlier = running[i % 10];
            running[i % 10] = worker;
            if (earlier != null) {
                earlier.join();
                sum += earlier.sum;
            }
        }
        for (Worker worker : running) {
            worker.join();
            sum += worker.sum;
        }
        Known.of(ShortThreads.class)
                .count("thread", THREADS).count("first", THREADS).count("loop", 100 * THREADS).count("last", THREADS)
                .count("dying", THREADS / 10)
                .done(sum);
    }
}
