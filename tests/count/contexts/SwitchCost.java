import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Arrays;

/**
 * CPU of the thread, in nanoseconds: of a call that enters and leaves a context, and of objects inside of a context over the same outside.
 *
 * <pre>
 * COST switch inside/outside      medians
 * </pre>
 */
public class SwitchCost {
    static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
    static int sum;
    static Object object;

    static void empty(int i) {
        sum += i;
    }

    static void objects(int number) {
        for (int i = 0; i < number; i++) {
            object = new int[1];
        }
    }

    static void objectsInside(int number) {
        objects(number);
    }

    static double median(double[] values) {
        Arrays.sort(values);
        return values[values.length / 2];
    }

    public static void main(String[] args) {
        int calls = 5_000_000;
        double[] switches = new double[9];
        double[] ratios = new double[9];
        for (int round = -2; round < switches.length; round++) {
            long begin = THREADS.getCurrentThreadCpuTime();
            for (int i = 0; i < calls; i++) {
                empty(i);
            }
            long outside = THREADS.getCurrentThreadCpuTime();
            objects(calls);
            long inside = THREADS.getCurrentThreadCpuTime();
            objectsInside(calls);
            long end = THREADS.getCurrentThreadCpuTime();
            if (round >= 0) {
                switches[round] = (outside - begin) / (double) calls;
                ratios[round] = (end - inside) / (double) (inside - outside);
            }
        }
        System.out.println("COST " + median(switches) + " " + median(ratios));
    }
}
