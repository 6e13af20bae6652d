/**
 * Many threads that end at once; each makes arrays of every kind, from literals to computed dimensions.
 *
 * <pre>
 * java ShortThreads THREADS
 * </pre>
 */
public class ShortThreads {
    static volatile Object sink;
    static volatile long sum;

    static final class Worker extends Thread {
        private final int number;

        Worker(int number) {
            this.number = number;
        }

        @Override
        public void run() {
            for (int i = 0; i < 10; i++) {
                int length = (number + i) & 31;
                sink = new boolean[length];
                sink = new byte[length];
                sink = new char[length];
                sink = new short[length];
                sink = new int[length];
                sink = new long[length];
                sink = new float[length];
                sink = new double[length];
                sink = new Object[length];
                sink = new String[length][];
                sink = new int[3];
                sink = new int[] {number, i};
                sink = new long[length & 3][2];
                sink = new byte[2][length & 3][5];
                sink = ((int[]) new int[length].clone());
            }
            sum += number;
        }
    }

    public static void main(String[] arguments) throws InterruptedException {
        int threads = Integer.parseInt(arguments[0]);
        Worker[] running = new Worker[8];
        for (int i = 0; i < threads; i++) {
            Worker worker = new Worker(i);
            worker.start();
            Worker earlier = running[i % running.length];
            running[i % running.length] = worker;
            if (earlier != null) {
                earlier.join();
            }
        }
        for (Worker worker : running) {
            worker.join();
        }
        System.out.println("SUM " + sum);
    }
}
