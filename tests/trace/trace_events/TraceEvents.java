import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Threads that allocate in every way, and say what the VM says that they have allocated.
 *
 * <pre>
 * java TraceEvents THREADS ROUNDS [deep] [gc] [plain]
 * ALLOCATED writer-3 81264   by thread, when its work is done
 * MADE 120000                points made in all
 * </pre>
 */
public class TraceEvents {
    static final com.sun.management.ThreadMXBean BEAN =
            (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
    static volatile Object sink;
    static volatile long sum;

    static final class Point implements Cloneable {
        int x;
        int y;

        Point(int x, int y) {
            this.x = x;
            this.y = y;
        }

        Point copy() throws CloneNotSupportedException {
            return (Point) clone();
        }
    }

    /** Made by reflection; its constructor allocates. */
    public static final class Reflected {
        final int[] inside = new int[3];

        public Reflected() {}
    }

    static final class Writer extends Thread {
        final int rounds;
        final boolean deep;
        final boolean collect;
        final boolean plain;
        long allocated;
        Object kept;

        Writer(int number, int rounds, List<String> words) {
            super("writer-" + number + "x");
            this.rounds = rounds;
            this.deep = words.contains("deep");
            this.collect = words.contains("gc");
            this.plain = words.contains("plain");
        }

        @Override
        public void run() {
            try {
                for (int i = 0; i < rounds; i++) {
                    if (plain) {
                        kept = new Point(i, i);
                        continue;
                    }
                    round(i);
                    if (collect && i % 1000 == 999) {
                        System.gc();
                    }
                }
            } catch (ReflectiveOperationException | CloneNotSupportedException unexpected) {
                throw new IllegalStateException(unexpected);
            }
            allocated = BEAN.getThreadAllocatedBytes(Thread.currentThread().getId());
        }

        void round(int i) throws ReflectiveOperationException, CloneNotSupportedException {
            Point point = new Point(i, i);
            kept = point.copy();
            sum += new Point(i, 1).x;
            kept = new int[i & 63];
            kept = new Object[3];
            kept = new long[i & 3][2];
            kept = new byte[2][i & 3][5];
            kept = Integer.valueOf(i);
            kept = Arrays.copyOf(new String[] {"a"}, 2);
            kept = java.lang.reflect.Array.newInstance(Point.class, 3);
            kept = "text " + i;
            Runnable captured = () -> sum += i;
            captured.run();
            if (i % 64 == 0) {
                kept = new byte[i % 4096 == 0 ? 600_000 : 20_000];
                kept = Reflected.class.getConstructor().newInstance();
            }
            if (i % 256 == 0) {
                vmMakes(i);
            }
            if (deep && i % 512 == 0) {
                kept = toTheEnd(0);
            }
        }

        /** What only the VM makes. */
        void vmMakes(int i) {
            try {
                Object none = i < 0 ? this : null;
                none.hashCode();
            } catch (NullPointerException thrown) {
                kept = thrown.getStackTrace();
            }
            kept = Thread.currentThread().getStackTrace();
            kept = TraceEvents.class.getDeclaredMethods();
        }

        /** Allocates on every level until the stack ends. */
        Object toTheEnd(int depth) {
            Object made = new Point(depth, depth);
            try {
                return toTheEnd(depth + 1);
            } catch (StackOverflowError end) {
                return made;
            }
        }
    }

    public static void main(String[] arguments) throws Exception {
        int threads = Integer.parseInt(arguments[0]);
        int rounds = Integer.parseInt(arguments[1]);
        List<String> words = Arrays.asList(arguments);
        List<Writer> writers = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            Writer writer = new Writer(i, rounds, words);
            writers.add(writer);
            writer.start();
        }
        for (Writer writer : writers) {
            writer.join();
        }
        for (Writer writer : writers) {
            System.out.println("ALLOCATED " + writer.getName() + " " + writer.allocated);
        }
        System.out.println("MADE " + 2L * threads * rounds);
    }
}
