import java.lang.management.ManagementFactory;
import java.lang.reflect.Array;
import java.lang.reflect.Constructor;
import java.util.function.LongSupplier;

/**
 * Thirteen ways to allocate, each with a count known by construction: what a tool says is held against it.
 *
 * <p>Arguments: ITERATIONS, and optionally the number of rounds per way and iteration (100,000). Every way is a method
 * of its own, so that a tool with stack traces or sites can be asked per way, and most have a type of their own, so
 * that a tool that knows types only can be asked too. Objects are stored in static fields: none is eliminated.
 *
 * <p>Standard output holds the JSON lines of the java-harness, and one {@code truth} line per way with the objects
 * that it has allocated in the whole run, and their bytes: the thread's own allocation counter around the leanest
 * iteration, times the iterations (the first ones also load classes and link call sites, which is no part of the way).
 */
public final class KnownCounts {
    static Object first;
    static Object second;
    static int seed = 17;

    static final class Point { int x; int y; }
    static final class Copied implements Cloneable {
        long payload = 1;
        @Override public Copied clone() throws CloneNotSupportedException { return (Copied) super.clone(); }
    }
    public static final class Reflected { int x; public Reflected() { } }
    static final class Bare { long a; long b; }
    static final class Quiet extends RuntimeException {
        Quiet() { super(null, null, false, false); }
    }
    static final class Virtual { int x; int y; int z; }

    interface Way { void run(int rounds) throws Exception; }

    /** Name (also the method's), objects per round, types by the JVM's names, the loop. */
    record Row(String name, int perRound, String types, Way way, long[] leanest) {
        Row(String name, int perRound, String types, Way way) {
            this(name, perRound, types, way, new long[] {Long.MAX_VALUE});
        }
    }

    static void newObject(int rounds) { for (int i = 0; i < rounds; i++) first = new Point(); }

    static void newArray(int rounds) { for (int i = 0; i < rounds; i++) first = new short[7]; }

    static void multiArray(int rounds) { for (int i = 0; i < rounds; i++) first = new float[2][3]; }

    static void lambda(int rounds) {
        for (int i = 0; i < rounds; i++) {
            int captured = i;
            LongSupplier supplier = () -> captured;
            first = supplier;
        }
    }

    static void concat(int rounds) { for (int i = 0; i < rounds; i++) first = "item " + (i + 1000000); }

    static void boxing(int rounds) { for (int i = 0; i < rounds; i++) first = (Long) (1000L + i); }

    static void cloneObject(int rounds) throws Exception {
        Copied original = (Copied) second;
        for (int i = 0; i < rounds; i++) first = original.clone();
    }

    static void constructor(int rounds) throws Exception {
        Constructor<Reflected> constructor = Reflected.class.getConstructor();
        for (int i = 0; i < rounds; i++) first = constructor.newInstance(NO_ARGUMENTS);
    }

    /** Shared: the empty array of a call without arguments would be one more object per round. */
    static final Object[] NO_ARGUMENTS = {};


    static void reflectedArray(int rounds) {
        for (int i = 0; i < rounds; i++) first = Array.newInstance(double.class, 5);
    }

    static void unsafe(int rounds) throws Exception {
        sun.misc.Unsafe unsafe = UNSAFE;
        for (int i = 0; i < rounds; i++) first = unsafe.allocateInstance(Bare.class);
    }

    static void exception(int rounds) {
        for (int i = 0; i < rounds; i++) {
            try {
                throw new Quiet();
            } catch (Quiet quiet) {
                first = quiet;
            }
        }
    }

    static void thread(int rounds) throws Exception {
        // A virtual thread where the JDK has them; its bytes are in no counter of ours, see sizeOfVirtual().
        Thread thread = virtualThread(() -> { for (int i = 0; i < rounds; i++) first = new Virtual(); });
        thread.join();
    }

    static void varargs(int rounds) { for (int i = 0; i < rounds; i++) take((char) i, 'b', 'c'); }

    static void take(char... values) { first = values; }

    static final sun.misc.Unsafe UNSAFE = unsafe();

    static sun.misc.Unsafe unsafe() {
        try {
            var field = sun.misc.Unsafe.class.getDeclaredField("theUnsafe");
            field.setAccessible(true);
            return (sun.misc.Unsafe) field.get(null);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    static Thread virtualThread(Runnable task) throws Exception {
        try {
            return (Thread) Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, task);
        } catch (NoSuchMethodException | java.lang.reflect.InvocationTargetException none) {
            Thread thread = new Thread(task);
            thread.start();
            return thread;
        }
    }

    static final Row[] ROWS = {
        new Row("newObject", 1, "KnownCounts$Point", KnownCounts::newObject),
        new Row("newArray", 1, "short[]", KnownCounts::newArray),
        new Row("multiArray", 3, "float[][] float[]", KnownCounts::multiArray),
        new Row("lambda", 1, "KnownCounts$$Lambda", KnownCounts::lambda),
        new Row("concat", 2, "java.lang.String byte[]", KnownCounts::concat),
        new Row("boxing", 1, "java.lang.Long", KnownCounts::boxing),
        new Row("cloneObject", 1, "KnownCounts$Copied", KnownCounts::cloneObject),
        new Row("constructor", 1, "KnownCounts$Reflected", KnownCounts::constructor),
        new Row("reflectedArray", 1, "double[]", KnownCounts::reflectedArray),
        new Row("unsafe", 1, "KnownCounts$Bare", KnownCounts::unsafe),
        new Row("exception", 1, "KnownCounts$Quiet", KnownCounts::exception),
        new Row("thread", 1, "KnownCounts$Virtual", KnownCounts::thread),
        new Row("varargs", 1, "char[]", KnownCounts::varargs),
    };

    public static void main(String[] args) throws Exception {
        int iterations = Integer.parseInt(args[0]);
        int rounds = args.length > 1 ? Integer.parseInt(args[1]) : 100_000;
        second = new Copied();
        System.out.printf("{\"event\":\"start\",\"workload\":\"known\",\"java\":\"%s\"}%n", System.getProperty("java.version"));
        for (int iteration = 0; iteration < iterations; iteration++) {
            iterate(iteration, rounds);
        }
        for (Row row : ROWS) {
            System.out.printf("{\"event\":\"truth\",\"way\":\"%s\",\"types\":\"%s\",\"objects\":%d,\"bytes\":%d}%n",
                row.name, row.types, (long) row.perRound * rounds * iterations, row.leanest[0] * iterations);
        }
        System.out.printf("{\"event\":\"end\",\"workload\":\"known\",\"ok\":true,\"checksum\":\"%d\"}%n", (long) iterations * rounds);
    }

    static void iterate(int iteration, int rounds) throws Exception {
        long wall = System.nanoTime();
        long cpu = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
        long bytes = allocated();
        for (Row row : ROWS) {
            long before = allocated();
            row.way.run(rounds);
            long now = row.name.equals("thread") ? (long) rounds * sizeOfVirtual() : allocated() - before;
            row.leanest[0] = Math.min(row.leanest[0], now);
        }
        System.out.printf("{\"event\":\"iteration\",\"workload\":\"known\",\"iteration\":%d,\"wall_ms\":%.3f,\"cpu_ms\":%.3f,\"allocated_bytes\":%d}%n",
            iteration, (System.nanoTime() - wall) / 1e6,
            (ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() - cpu) / 1e6, allocated() - bytes);
    }

    /** Bytes of one Virtual as this VM lays it out, measured: the loop of another thread is not in this thread's counter. */
    static long sizeOfVirtual() {
        first = new VirtualTwin();
        long before = allocated();
        for (int i = 0; i < 1000; i++) first = new VirtualTwin();
        return Math.round((allocated() - before) / 1000.0);
    }

    /** The same fields as Virtual, so the same size. */
    static final class VirtualTwin { int x; int y; int z; }

    static final com.sun.management.ThreadMXBean THREADS = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();

    static long allocated() { return THREADS.getThreadAllocatedBytes(Thread.currentThread().getId()); }
}
