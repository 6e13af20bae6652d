package ducktrack.known;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;

// PROGRAM tags=hot,elimination
// EXPECT
//   point   eliminated new Point 40_000_000 bytes=24
//   boxed   eliminated boxing java.lang.Integer 40_000_000 bytes=16 via=java.lang.Integer.valueOf
//   escapes escaping   new Point 2_000_000 bytes=24
// END
/**
 * Objects that C2 replaces by their fields: executed 40 million times, hardly ever on the heap. The program prints what its thread
 * really allocated ({@code ALLOCATED SITE BYTES}), which must be as small with the agent as without.
 */
final class ScalarReplacement {
    private static final int ROUNDS = 200;
    private static final int INNER = 200_000;

    private static final class Point {
        final int x;
        final int y;

        Point(int x, int y) {
            this.x = x;
            this.y = y;
        }
    }

    private static Object sink;

    private static long eliminated(int inner) {
        long sum = 0;
        for (int i = 0; i < inner; i++) {
            Point point = new Point(i, 1); // SITE point
            Integer boxed = i + 1000; // SITE boxed
            sum += point.x + point.y + boxed;
        }
        return sum;
    }

    private static long escaping(int inner) {
        long sum = 0;
        for (int i = 0; i < inner; i++) {
            Point point = new Point(i, 1); // SITE escapes
            sink = point;
            sum += point.x;
        }
        return sum;
    }

    @SuppressWarnings("deprecation") // threadId() does not exist in 11
    private static long allocated() {
        ThreadMXBean bean = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        return bean.getThreadAllocatedBytes(Thread.currentThread().getId());
    }

    public static void main(String[] words) throws Exception {
        allocated();
        long begin = allocated();
        long sum = 0;
        for (int i = 0; i < ROUNDS; i++) {
            sum += eliminated(INNER);
        }
        System.out.println("ALLOCATED eliminated " + (allocated() - begin));
        begin = allocated();
        for (int i = 0; i < 10; i++) {
            sum += escaping(INNER);
        }
        System.out.println("ALLOCATED escaping " + (allocated() - begin));
        Known.of(ScalarReplacement.class)
                .count("point", (long) ROUNDS * INNER).count("boxed", (long) ROUNDS * INNER).count("escapes", 10 * INNER)
                .done(sum + (sink == null ? 1 : 0));
    }
}
