import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.Random;

/**
 * Each execution of two contexts against the thread's own count of bytes just around it.
 *
 * <pre>
 * usage: Executions EXECUTIONS THREADS
 * EXECUTIONS context count bytes median p99 largest
 * </pre>
 */
public class Executions {
    static final com.sun.management.ThreadMXBean THREADS = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
    static Object one;
    static Object other;

    static void small(int size) {
        work(size);
    }

    static void large(int size) {
        work(4 * size);
    }

    static void work(int size) {
        for (int i = 0; i < size; i++) {
            one = new Object();
            other = new byte[i & 127];
            if (i % 5 == 0) {
                one = new Object[] {one, other};
            }
        }
    }

    static long now() {
        return THREADS.getThreadAllocatedBytes(Thread.currentThread().getId());
    }

    static void run(int thread, long[] small, long[] large) {
        Random random = new Random(thread);
        for (int i = 0; i < small.length; i++) {
            int size = random.nextInt(100) == 0 ? 2000 + random.nextInt(3000) : random.nextInt(60);
            long before = now();
            small(size);
            small[i] = now() - before;
            before = now();
            large(size);
            large[i] = now() - before;
        }
    }

    static void print(String context, long[][] all) {
        long[] sorted = Arrays.stream(all).flatMapToLong(Arrays::stream).sorted().toArray();
        long sum = Arrays.stream(sorted).sum();
        int n = sorted.length;
        System.out.println("EXECUTIONS\t" + context + "\t" + n + "\t" + sum + "\t" + sorted[(int) Math.ceil(n * .5) - 1] + "\t"
            + sorted[(int) Math.ceil(n * .99) - 1] + "\t" + sorted[n - 1]);
    }

    public static void main(String[] args) throws Exception {
        int executions = Integer.parseInt(args[0]);
        int threads = Integer.parseInt(args[1]);
        for (int i = 0; i < 20_000; i++) {
            now();
        }
        long[][] small = new long[threads][executions];
        long[][] large = new long[threads][executions];
        Thread[] all = new Thread[threads];
        for (int k = 0; k < threads; k++) {
            int thread = k;
            all[k] = new Thread(() -> run(thread, small[thread], large[thread]), "worker-" + k);
            all[k].start();
        }
        for (Thread thread : all) {
            thread.join();
        }
        print("Executions.small", small);
        print("Executions.large", large);
    }
}
