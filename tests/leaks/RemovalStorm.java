import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.nio.ByteBuffer;
import java.util.*;
import java.util.concurrent.*;
import java.util.function.Function;
import java.util.zip.Deflater;

/** Has objects of many kinds that it does not use for some collections, and then uses all of them: what a trial sets to null must not crash the VM. */
public class RemovalStorm {
    enum Kind { A, B, C }
    record Pair(String name, Object value) {}
    static final class Worker extends Thread {
        final Object[] own = {"a", new int[3]};
        Worker(String name) { super(name); setDaemon(true); }
        @Override public void run() {
            try { while (true) { Thread.sleep(50); synchronized (RemovalStorm.class) { } } } catch (InterruptedException end) { }
        }
    }
    static final class Loader extends ClassLoader { final Map<String, Object> extra = new HashMap<>(Map.of("k", new int[4])); }
    static final class Failure extends RuntimeException { final Object why = new Object[] {"why"}; }

    static volatile Object sink;
    static final List<String> strings = new ArrayList<>();
    static final Map<String, Object> map = new HashMap<>();
    static final Map<String, Object> concurrent = new ConcurrentHashMap<>();
    static final TreeMap<String, Object> tree = new TreeMap<>();
    static final LinkedList<Pair> linked = new LinkedList<>();
    static final List<Object> objects = new ArrayList<>();
    static final Map<Object, Object> weak = new WeakHashMap<>();
    static final ThreadLocal<Object> local = new ThreadLocal<>();
    static final List<Thread> threads = new ArrayList<>();
    static final List<Throwable> failures = new ArrayList<>();
    static final int[][] ints = new int[100][];
    static final String[] array = new String[1000];
    static final StringBuilder builder = new StringBuilder("abc");
    static final ByteBuffer heap = ByteBuffer.allocate(100), direct = ByteBuffer.allocateDirect(100);
    static final Deflater deflater = new Deflater();
    static final ClassLoader loader = new Loader();
    static final Optional<Object> optional = Optional.of(new Object[] {1});
    static final ExecutorService pool = Executors.newFixedThreadPool(2, task -> { Thread t = new Thread(task); t.setDaemon(true); return t; });
    static final List<Class<?>> classes = new ArrayList<>(List.of(String.class, HashMap.class, Thread.class, RemovalStorm.class, Kind.class, List.class));
    static MethodHandle handle;
    static Function<Object, Object> function;
    static final Set<String> notes = new TreeSet<>();

    interface Step { void run() throws Throwable; }
    static void step(Step step) {
        try { step.run(); } catch (Throwable thrown) {
            try { notes.add(thrown.getClass().getName()); } catch (Throwable again) { sink = again; }
        }
    }

    static void use() {
        step(() -> { for (String s : strings) sink = s.hashCode() + s.indexOf("7") + s.compareTo("zz") + s.intern().length() + new String(s.toCharArray()).length() + (s + "x").length() + (s.equals(strings.get(0)) ? 1 : 0); });
        step(() -> { for (int i = 0; i < array.length; i++) sink = array[i].equals(array[(i + 1) % array.length]); });
        step(() -> { int sum = 0; for (int[] row : ints) for (int x : row) sum += x; System.arraycopy(ints[5], 0, ints[6], 0, 5); sink = sum + Arrays.hashCode(ints[3]) + (Arrays.equals(ints[1], ints[2]) ? 1 : 0); });
        for (Map<String, Object> each : List.of(map, concurrent, tree)) {
            step(() -> { for (Object o : each.values()) sink = o.hashCode(); });
            step(() -> { each.put("new", new Object()); each.remove("k5"); each.merge("k7", 1, (a, b) -> a); });
        }
        step(() -> { for (Pair p : linked) sink = p.hashCode() + p.toString(); linked.addLast(new Pair("last", 1)); });
        step(() -> { for (Object o : objects) sink = Arrays.deepToString((Object[]) o); Collections.shuffle(objects); });
        step(() -> sink = weak.size() + weak.hashCode());
        step(() -> sink = handle.invoke((Object) "abc").hashCode() + function.apply("x").hashCode());
        step(() -> { sink = local.get().hashCode(); Thread t = new Thread(() -> local.set(1)); t.start(); t.join(1000); });
        step(() -> { for (Thread t : threads) sink = t.getName() + t.getStackTrace().length + t.getThreadGroup() + ((Worker) t).own.length; Thread.getAllStackTraces(); });
        step(() -> { for (Throwable t : failures) { sink = t.toString() + t.getStackTrace().length + t.getCause(); t.printStackTrace(new java.io.PrintWriter(new java.io.StringWriter())); } });
        step(() -> { for (Class<?> c : classes) { sink = c.getMethods().length + c.getName() + c.getDeclaredFields().length; c.getDeclaredConstructors(); c.getAnnotations(); } Class.forName("java.util.concurrent.Phaser"); });
        step(() -> { sink = Kind.valueOf("B"); switch (Kind.C) { case C: sink = Kind.values(); break; default: } });
        step(() -> { builder.append("def").append(7).insert(0, 'x').reverse(); sink = builder.toString(); });
        step(() -> { heap.clear(); heap.putLong(7).flip(); sink = heap.getLong(); direct.clear(); direct.putLong(7); sink = direct.duplicate(); });
        step(() -> { deflater.reset(); deflater.setInput(new byte[100]); deflater.finish(); deflater.deflate(new byte[200]); });
        step(() -> { sink = loader.loadClass("java.util.Scanner"); sink = loader.getResource("x"); });
        step(() -> sink = pool.submit(() -> "done").get(1, TimeUnit.SECONDS));
        step(() -> sink = String.format("%d %s", 7, "a") + Locale.getDefault() + TimeZone.getDefault() + new Date() + System.getProperty("java.home").length());
        step(() -> sink = optional.get());
    }

    public static void main(String[] arguments) throws Throwable {
        for (int i = 0; i < 1000; i++) {
            strings.add("string number " + i);
            map.put("k" + i, new Object());
            concurrent.put("k" + i, new Object[] {i});
            tree.put("k" + i, "value" + i);
            linked.add(new Pair("p" + i, new int[] {i}));
            array[i] = new String("sa" + i);
            objects.add(new Object[] {new int[3], "x" + i});
            if (i < 100) ints[i] = new int[] {i, 2, 3, 4, 5, 6};
            if (i < 50) failures.add(new Failure());
            weak.put(strings.get(i), new Object());
        }
        handle = MethodHandles.lookup().findVirtual(String.class, "length", MethodType.methodType(int.class)).asType(MethodType.methodType(Object.class, Object.class));
        int size = strings.size();
        function = x -> x.toString() + size;
        for (int i = 0; i < 3; i++) { Thread t = new Worker("worker" + i); t.start(); threads.add(t); }
        local.set(new Object());
        for (int i = 0; i < 30; i++) use();
        for (int round = 0; round < Integer.parseInt(arguments[0]); round++) {
            for (int i = 0; i < 20_000; i++) sink = new long[4];
            System.gc();
            Thread.sleep(20);
        }
        System.out.println("using");
        for (int i = 0; i < 30; i++) use();
        System.out.println("survived " + notes);
    }
}
