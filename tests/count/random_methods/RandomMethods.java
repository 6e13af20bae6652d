import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * Calls generated methods in turn, and what they need at run time.
 *
 * <p>Arguments: a file with lines {@code class methods}, the number of cells, rounds, calls of each method per round,
 * and the milliseconds that a round takes at least.
 * Prints {@code CELL number value} for each cell that is not 0, and {@code SUM value} over all results and exceptions.
 *
 * <p>Two more arguments: the number of calls that methods make of themselves, 0 for none, and how often each method is called
 * as usual before. Then all calls run until the stack ends, and {@code OVERFLOWS number} says how often that came to light here.
 */
public final class RandomMethods {
    /** What generated code counts by itself: one cell per site and level. */
    public static long[] cells;
    public static final Object LOCK = new Object();
    public static final Oops MADE_BEFORE = new Oops();
    public static Object sink;

    private static long state;
    private static int sum;
    private static int deeper;
    private static int overflows;

    private RandomMethods() {}

    /** The next pseudo-random number, from 0 on. */
    public static int next() {
        state ^= state << 13;
        state ^= state >>> 7;
        state ^= state << 17;
        return (int) (state >>> 33);
    }

    /** Throws now and then, one of several classes. */
    public static void mayThrow() throws IOException {
        switch (next() & 31) {
            case 0:
                throw new Oops();
            case 1:
                throw MADE_BEFORE;
            case 2:
                throw new IOException();
            case 3:
                throw new IllegalStateException();
            default:
        }
    }

    /** Whether a method is to call itself: so often that the stack ends, or never. */
    public static boolean goDeeper() {
        return deeper > 0 && --deeper > 0;
    }

    /** 1 if {@code Integer.valueOf} has no box for it. */
    public static int outsideOfCache(int value) {
        return value < -128 || value > 127 ? 1 : 0;
    }

    /** The super class of the class of every group of generated methods. */
    public abstract static class Group {
        public abstract int call(int method, int argument, int fuel);
    }

    /** An exception that is cheap. */
    public static final class Oops extends RuntimeException {
        public Oops() {
            super(null, null, false, false);
        }
    }

    /** A constructor that cannot throw. */
    public static class Leaf {
        long value;

        public Leaf() {}
    }

    /** A constructor that may throw. */
    public static class Node {
        int value;

        public Node(int value) {
            if ((value & 15) == 0) {
                throw new Oops();
            }
            this.value = value;
        }
    }

    public static void main(String[] arguments) throws Exception {
        List<String> lines = Files.readAllLines(Path.of(arguments[0]));
        cells = new long[Integer.parseInt(arguments[1])];
        int rounds = Integer.parseInt(arguments[2]);
        int calls = Integer.parseInt(arguments[3]);
        int pace = Integer.parseInt(arguments[4]);
        Group[] groups = new Group[lines.size()];
        int[] methods = new int[lines.size()];
        for (int i = 0; i < groups.length; i++) {
            String[] words = lines.get(i).split(" ");
            groups[i] = (Group) Class.forName(words[0]).getDeclaredConstructor().newInstance();
            methods[i] = Integer.parseInt(words[1]);
        }
        state = 0x9E3779B97F4A7C15L;
        int depth = Integer.parseInt(arguments[5]);
        if (depth > 0) {
            callAll(groups, methods, 1, Integer.parseInt(arguments[6]), 0, 0);
            Runnable untilTheStackEnds = () -> callAll(groups, methods, rounds, calls, pace, depth);
            Thread shallow = new Thread(null, untilTheStackEnds, "shallow", 300 << 10);
            shallow.start();
            shallow.join();
            System.out.println("OVERFLOWS " + overflows);
        } else {
            callAll(groups, methods, rounds, calls, pace, 0);
        }
        for (int cell = 0; cell < cells.length; cell++) {
            if (cells[cell] != 0) {
                System.out.println("CELL " + cell + " " + cells[cell]);
            }
        }
        System.out.println("SUM " + sum);
    }

    private static void callAll(Group[] groups, int[] methods, int rounds, int calls, int pace, int depth) {
        long start = System.nanoTime();
        for (int round = 0; round < rounds; round++) {
            for (int i = 0; i < groups.length; i++) {
                for (int method = 0; method < methods[i]; method++) {
                    callOften(groups[i], method, calls, depth);
                }
            }
            long early = pace * (round + 1L) - (System.nanoTime() - start) / 1_000_000;
            if (early > 0) {
                LockSupport.parkNanos(early * 1_000_000);
            }
        }
    }

    private static void callOften(Group group, int method, int calls, int depth) {
        for (int i = 0; i < calls; i++) {
            int result;
            deeper = depth;
            try {
                result = group.call(method, next(), 3 + (next() & 15));
            } catch (VerifyError | ClassFormatError | IncompatibleClassChangeError wrong) {
                throw wrong;
            } catch (StackOverflowError ended) {
                overflows++;
                result = 0;
            } catch (Throwable thrown) {
                result = thrown.getClass().getName().hashCode();
            }
            sum = sum * 31 + result;
        }
    }
}
