import java.lang.management.ManagementFactory;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.LongAdder;

/** Short tasks, each on a virtual thread of its own: prints the CPU time of the process and the wall time of each round, in ms. */
public final class VirtualThreads {
    private VirtualThreads() {}

    /** Allocates a small array and a string. */
    static int work(int task) {
        int[] numbers = new int[8 + (task & 7)];
        for (int i = 0; i < numbers.length; i++) {
            numbers[i] = task ^ i;
        }
        return (Integer.toString(numbers[numbers.length - 1]) + ':' + numbers.length).hashCode();
    }

    static long round(int tasks) {
        LongAdder sum = new LongAdder();
        try (var executor = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < tasks; i++) {
                int task = i;
                executor.execute(() -> sum.add(work(task)));
            }
        }
        return sum.sum();
    }

    public static void main(String[] arguments) {
        int tasks = Integer.parseInt(arguments[0]);
        int rounds = Integer.parseInt(arguments[1]);
        var system = (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        for (int i = 0; i < rounds; i++) {
            long cpu = system.getProcessCpuTime();
            long wall = System.nanoTime();
            long sum = round(tasks);
            wall = System.nanoTime() - wall;
            cpu = system.getProcessCpuTime() - cpu;
            System.out.printf("round %d cpu %.1f wall %.1f sum %d%n", i, cpu / 1e6, wall / 1e6, sum);
        }
    }
}
