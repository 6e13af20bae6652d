import java.lang.management.ManagementFactory;
import java.lang.ref.SoftReference;
import java.lang.ref.WeakReference;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import javax.management.ObjectName;

/**
 * Full collections of every kind, over objects with ids that an agent recognizes.
 *
 * <p>Arguments: rounds, objects kept, then any of: {@code collect=N} (System.gc() every N rounds), {@code histogram=N} (the VM's class histogram, which
 * collects first), {@code pressure} (the heap fills up until allocation fails), {@code humongous}, {@code loaders} (classes come and go), {@code last}
 * (allocations that even a full collection cannot serve), {@code references} (weak and soft references, finalizers).
 */
public class FullMovesProbe {
    static class Small { long id = newId(); }

    static class Node { long id = newId(); Object next; }

    static class Wide { long id = newId(); int number = 7; Object left, right; }

    static class Finalized {
        static Object revived;
        long id = newId();
        @Override protected void finalize() { if (id % 3 == 0) revived = this; }
    }

    /** Loaded again and again by loaders that die. */
    public static class Reloaded { public long id; public Object a, b; }

    static final long MARKER = 0x5A5AL << 48;
    static long ids;
    static final Random random = new Random(4711);
    static Object[] kept;

    static long newId() { return MARKER | ++ids; }

    public static void main(String[] arguments) throws Exception {
        int rounds = Integer.parseInt(arguments[0]);
        kept = new Object[Integer.parseInt(arguments[1])];
        List<String> wanted = List.of(arguments).subList(2, arguments.length);
        int collect = number(wanted, "collect="), histogram = number(wanted, "histogram=");
        List<Object> filling = new ArrayList<>();
        List<Object> references = new ArrayList<>();
        for (int round = 1; round <= rounds; round++) {
            try {
                Object object = make();
                if (random.nextInt(4) == 0) kept[random.nextInt(kept.length)] = object;
                if (wanted.contains("pressure")) fill(filling, object);
                if (wanted.contains("humongous") && round % 5_000 == 0) humongous(round);
                if (wanted.contains("loaders") && round % 10_000 == 0) reload();
                if (wanted.contains("references")) refer(references, object, round);
            } catch (OutOfMemoryError full) {
                filling.clear();
            }
            if (round % collect == 0) System.gc();
            if (round % histogram == 0) histogram();
            if (wanted.contains("last") && round % 100_000 == 0) tooMuch();
        }
        System.out.println("done " + ids);
    }

    static int number(List<String> wanted, String name) {
        for (String word : wanted) if (word.startsWith(name)) return Integer.parseInt(word.substring(name.length()));
        return Integer.MAX_VALUE;
    }

    static Object make() {
        switch (random.nextInt(8)) {
            case 0: case 1: { Small small = new Small(); if (random.nextInt(20) == 0) small.hashCode(); return small; }
            case 2: { Node node = new Node(); if (random.nextInt(3) == 0) node.next = kept[random.nextInt(kept.length)]; return node; }
            case 3: { Wide wide = new Wide(); wide.left = new Small(); if (random.nextInt(50) == 0) synchronized (wide) { wide.hashCode(); } return wide; }
            case 4: case 5: { long[] longs = new long[1 + random.nextInt(9)]; longs[0] = newId(); return longs; }
            // Without ids, and of the classes that fillers have.
            case 6: return new Object[] {new int[random.nextInt(30)], new Object(), "s" + random.nextInt()};
            default: return new byte[random.nextInt(200)];
        }
    }

    /** Keeps everything until the heap is nearly full. */
    static void fill(List<Object> filling, Object object) {
        filling.add(object);
        Runtime heap = Runtime.getRuntime();
        if (heap.freeMemory() + heap.maxMemory() - heap.totalMemory() < heap.maxMemory() / 32) filling.clear();
    }

    static void humongous(int round) {
        long[] large = new long[200_000 + random.nextInt(200_000)];
        large[0] = newId();
        if (round % 3 == 0) kept[random.nextInt(kept.length)] = large;
    }

    static void tooMuch() {
        try {
            kept[0] = new long[(int) (Runtime.getRuntime().maxMemory() / 8)];
        } catch (OutOfMemoryError expected) {
            kept[0] = null;
        }
    }

    static void refer(List<Object> references, Object object, int round) {
        if (round % 100 == 0) references.add(new WeakReference<>(object));
        if (round % 150 == 0) references.add(new SoftReference<>(make()));
        if (round % 50 == 0) new Finalized();
        if (references.size() > 20_000) references.clear();
    }

    static void histogram() throws Exception {
        ObjectName commands = new ObjectName("com.sun.management:type=DiagnosticCommand");
        ManagementFactory.getPlatformMBeanServer().invoke(
                commands, "gcClassHistogram", new Object[] {new String[0]}, new String[] {String[].class.getName()});
    }

    static final List<Object> reloaded = new ArrayList<>();

    /** Loads a class by loaders of their own, keeps some of its objects for a while and forgets them. */
    static void reload() throws Exception {
        String name = "FullMovesProbe$Reloaded";
        byte[] bytes = FullMovesProbe.class.getResourceAsStream(name + ".class").readAllBytes();
        for (int loaders = 0; loaders < 20; loaders++) {
            ClassLoader loader = new ClassLoader(null) {
                @Override protected Class<?> findClass(String wanted) throws ClassNotFoundException {
                    if (wanted.equals(name)) return defineClass(wanted, bytes, 0, bytes.length);
                    throw new ClassNotFoundException(wanted);
                }
            };
            Class<?> fresh = loader.loadClass(name);
            Field id = fresh.getDeclaredField("id");
            for (int objects = 0; objects < 30; objects++) {
                Object object = fresh.getDeclaredConstructor().newInstance();
                id.setLong(object, newId());
                if (random.nextInt(3) == 0) reloaded.add(object);
            }
        }
        if (reloaded.size() > 1000) reloaded.clear();
    }
}
