import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.Random;

/**
 * Each execution of two contexts against the thread's own count of bytes just around it, and against its objects, which are known. Virtual threads, of whose
 * bytes there is no count, yield in the middle.
 *
 * <pre>
 * usage: Executions EXECUTIONS THREADS [virtual | wait]
 * EXECUTIONS context count bytes median p99 largest
 * OBJECTS    context count objects median p99 most
 * </pre>
 */
public class Executions {
    static final com.sun.management.ThreadMXBean THREADS = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
    static boolean isVirtual;
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
            if (isVirtual && i == size / 2) {
                Thread.yield();
            }
            one = new Object();
            other = new byte[i & 127];
            if (i % 5 == 0) {
                one = new Object[] {one, other};
            }
        }
    }

    /** The objects that {@link #work} makes. */
    static long objects(int size) {
        return 2L * size + (size + 4) / 5;
    }

    static long now() {
        return isVirtual ? 0 : THREADS.getThreadAllocatedBytes(Thread.currentThread().getId());
    }

    static void run(int thread, long[] small, long[] large, int[] sizes) {
        Random random = new Random(thread);
        for (int i = 0; i < small.length; i++) {
            int size = random.nextInt(100) == 0 ? 2000 + random.nextInt(3000) : random.nextInt(60);
            long before = now();
            sizes[i] = size;
            small(size);
            small[i] = now() - before;
            before = now();
            large(size);
            large[i] = now() - before;
        }
    }

    static void print(String line, String context, long[][] all) {
        long[] sorted = Arrays.stream(all).flatMapToLong(Arrays::stream).sorted().toArray();
        long sum = Arrays.stream(sorted).sum();
        int n = sorted.length;
        System.out.println(line + "\t" + context + "\t" + n + "\t" + sum + "\t" + sorted[(int) Math.ceil(n * .5) - 1] + "\t"
            + sorted[(int) Math.ceil(n * .99) - 1] + "\t" + sorted[n - 1]);
    }

    public static void main(String[] args) throws Exception {
        int executions = Integer.parseInt(args[0]);
        int threads = Integer.parseInt(args[1]);
        isVirtual = args.length > 2 && args[2].equals("virtual");
        for (int i = 0; i < 20_000; i++) {
            now();
        }
        long[][] small = new long[threads][executions];
        long[][] large = new long[threads][executions];
        int[][] sizes = new int[threads][executions];
        Thread[] all = new Thread[threads];
        for (int k = 0; k < threads; k++) {
            int thread = k;
            Runnable work = () -> run(thread, small[thread], large[thread], sizes[thread]);
            all[k] = isVirtual
                ? (Thread) Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, work)
                : new Thread(work, "worker-" + k);
            if (!isVirtual) {
                all[k].start();
            }
        }
        for (Thread thread : all) {
            thread.join();
        }
        if (!isVirtual) {
            print("EXECUTIONS", "Executions.small", small);
            print("EXECUTIONS", "Executions.large", large);
        }
        for (int factor : new int[] {1, 4}) {
            long[][] objects = new long[threads][];
            for (int k = 0; k < threads; k++) {
                objects[k] = Arrays.stream(sizes[k]).mapToLong(size -> objects(factor * size)).toArray();
            }
            print("OBJECTS", factor == 1 ? "Executions.small" : "Executions.large", objects);
        }
        if (args.length > 2 && !isVirtual) {
            System.out.println("WAITING");
            Thread.sleep(Long.MAX_VALUE);
        }
    }
}
