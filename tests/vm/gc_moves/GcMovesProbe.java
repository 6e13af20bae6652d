import java.lang.management.ManagementFactory;
import java.lang.ref.WeakReference;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.zip.Deflater;
import javax.management.ObjectName;

/**
 * Objects with ids, of many sizes and lifetimes, so that an agent can tell after each collection whether each of them is where it is said to be.
 *
 * <p>Arguments: library, rounds, objects kept, then any of: {@code loaders} (classes come and go), {@code humongous}, {@code sparse} (for
 * most of the time nothing is kept), {@code bursts} (so much lives at
 * once that young collections fail), {@code collect=N} (System.gc() every N objects), {@code virtual} (parked virtual threads),
 * {@code pinned} (arrays held by native code), {@code histograms} (collections for class histograms of the VM).
 */
public class GcMovesProbe {
    static native void tag(Object object, long id);

    static native void compareTags();

    static native String summary();

    static class Small { long id; }

    static class Node { long id; Object next; }

    static class Wide { long id; int number; Object left, right; }

    static class Finalized {
        long id;
        @Override protected void finalize() { }
    }

    /** Loaded again and again by loaders that die. */
    public static class Reloaded { public long id; public Object a, b; }

    /** Another size, to come to the same place. */
    public static class ReloadedLarger { public long id; public Object a, b, c, d, e, f; }

    static final long MARKER = 0x5A5AL << 48;
    /** Each object at an interval is tagged. */
    static final int SAMPLE = 997;
    /** Larger than any length: the word with the length of an array may end like an id. */
    static long ids = 1 << 20;
    static Object[] kept;
    static final Random random = new Random(42);

    public static void main(String[] arguments) throws Exception {
        System.load(arguments[0]);
        long rounds = Long.parseLong(arguments[1]);
        kept = new Object[Integer.parseInt(arguments[2])];
        List<String> wanted = List.of(arguments).subList(3, arguments.length);
        long collect = Long.MAX_VALUE;
        for (String word : wanted) if (word.startsWith("collect=")) collect = Long.parseLong(word.substring(8));
        if (wanted.contains("virtual")) parkVirtualThreads();
        if (wanted.contains("pinned")) for (int thread = 0; thread < 2; thread++) pin(thread);
        if (wanted.contains("histograms")) histogram();
        run(rounds, collect, wanted);
        compareTags();
        System.gc();
        compareTags();
        if (wanted.contains("histograms")) for (int count = 0; count < 5; count++) histogram();
        System.out.println(summary() + "done");
    }

    /** Of the whole heap, by the VM itself, which collects first: without an event on JDK 17 with Serial and Parallel. */
    static void histogram() throws Exception {
        for (int objects = 0; objects < 50_000; objects++) kept[random.nextInt(kept.length)] = make(null);
        ObjectName commands = new ObjectName("com.sun.management:type=DiagnosticCommand");
        ManagementFactory.getPlatformMBeanServer().invoke(
                commands, "gcClassHistogram", new Object[] {new String[0]}, new String[] {String[].class.getName()});
    }

    /** A thread whose arrays are in the hands of native code most of the time. */
    static void pin(int seed) {
        Random bytes = new Random(seed);
        Thread thread = new Thread(() -> {
            byte[] compressed = new byte[300_000];
            for (;;) {
                byte[] plain = new byte[200_000];
                bytes.nextBytes(plain);
                Deflater deflater = new Deflater(Deflater.BEST_COMPRESSION);
                deflater.setInput(plain);
                deflater.finish();
                deflater.deflate(compressed);
                deflater.end();
            }
        });
        thread.setDaemon(true);
        thread.start();
    }

    static void run(long rounds, long collect, List<String> wanted) throws Exception {
        boolean loaders = wanted.contains("loaders"), humongous = wanted.contains("humongous");
        boolean bursts = wanted.contains("bursts"), sparse = wanted.contains("sparse");
        Object last = null;
        List<Object> burst = new ArrayList<>();
        List<WeakReference<Object>> weak = new ArrayList<>();
        for (long round = 1; round <= rounds; round++) {
            Object object = make(last);
            // Sparse: for most of the time nothing is kept.
            int lot = sparse && round / 100_000 % 8 != 0 ? 2 : random.nextInt(8);
            if (lot == 0) {
                kept[random.nextInt(kept.length)] = object;
                last = round % 97 == 0 ? null : object;
                if (round % 1000 == 0) weak.add(new WeakReference<>(object));
            } else if (lot == 1 && round % 3 == 0) {
                kept[random.nextInt(kept.length)] = null;
            }
            if (humongous && round % 20_000 == 0) {
                long[] large = new long[300_000];
                large[0] = newId(large);
                if (round % 60_000 == 0) kept[random.nextInt(kept.length)] = large;
            }
            if (loaders && round % 20_000 == 0) reload();
            if (round % collect == 0) System.gc();
            if (weak.size() > 10_000) weak.clear();
            if (bursts) burst = burst(burst, round, object);
            if (round % 500_000 == 0) compareTags();
        }
    }

    /** One phase of four keeps everything, until it is too much. */
    static List<Object> burst(List<Object> burst, long round, Object object) {
        long phase = round / 100_000 % 4;
        if (phase != 3) return burst.isEmpty() ? burst : new ArrayList<>();
        try {
            burst.add(object);
            return burst;
        } catch (OutOfMemoryError full) {
            return new ArrayList<>();
        }
    }

    static long newId(Object object) {
        long id = MARKER | ++ids;
        if (ids % SAMPLE == 0) tag(object, id);
        return id;
    }

    static Object make(Object reference) {
        switch (random.nextInt(10)) {
            case 0: case 1: case 2: {
                Small small = new Small();
                small.id = newId(small);
                if (random.nextInt(20) == 0) small.hashCode();
                return small;
            }
            case 3: case 4: {
                Node node = new Node();
                node.id = newId(node);
                node.next = reference;
                if (random.nextInt(20) == 0) node.hashCode();
                return node;
            }
            case 5: {
                Wide wide = new Wide();
                wide.id = newId(wide);
                wide.number = 7;
                wide.left = reference;
                return wide;
            }
            case 6: case 7: {
                long[] longs = new long[1 + random.nextInt(6)];
                longs[0] = newId(longs);
                return longs;
            }
            case 8: {
                // No id, and a filler's class.
                Object[] both = {new int[random.nextInt(40)], new Object(), "s" + random.nextInt()};
                return both;
            }
            default: {
                if (random.nextInt(200) != 0) return new byte[random.nextInt(100)];
                Finalized finalized = new Finalized();
                finalized.id = newId(finalized);
                return finalized;
            }
        }
    }

    static final List<Object> reloaded = new ArrayList<>();

    /** Loads classes by loaders of their own, keeps some of their objects for a while and forgets them. */
    static void reload() throws Exception {
        String name = random.nextBoolean() ? "GcMovesProbe$Reloaded" : "GcMovesProbe$ReloadedLarger";
        byte[] bytes = GcMovesProbe.class.getResourceAsStream(name + ".class").readAllBytes();
        for (int loaders = 0; loaders < 20; loaders++) {
            ClassLoader loader = new ClassLoader(null) {
                @Override protected Class<?> findClass(String wanted) throws ClassNotFoundException {
                    if (wanted.equals(name)) return defineClass(wanted, bytes, 0, bytes.length);
                    throw new ClassNotFoundException(wanted);
                }
            };
            Class<?> fresh = loader.loadClass(name);
            Constructor<?> constructor = fresh.getDeclaredConstructor();
            Field id = fresh.getDeclaredField("id");
            for (int objects = 0; objects < 30; objects++) {
                Object object = constructor.newInstance();
                id.setLong(object, newId(object));
                if (random.nextInt(3) == 0) reloaded.add(object);
            }
        }
        if (reloaded.size() > 4000) reloaded.clear();
    }

    /** Virtual threads that wait, so that their stacks are in the heap. */
    static void parkVirtualThreads() throws Exception {
        java.lang.reflect.Method start = Thread.class.getMethod("startVirtualThread", Runnable.class);
        for (int threads = 0; threads < 200; threads++) {
            int depth = threads;
            start.invoke(null, (Runnable) () -> descend(depth));
        }
        Thread.sleep(200);
    }

    static int descend(int depth) {
        if (depth > 0) return descend(depth - 1) + 1;
        try {
            for (;;) Thread.sleep(20);
        } catch (InterruptedException end) {
            return 0;
        }
    }
}
