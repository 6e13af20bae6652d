import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Compares what the hotspot crate reads in this VM with what Java, the management beans and JVMTI say. Native methods are those of the
 * probe agent. Prints one line per check group ("name count"); the first difference ends it with an error.
 */
public class HotspotProbe {
    static native long eetop(Thread thread);
    static native long cooked(long eetop);
    static native long tlabTop(long eetop);
    static native long slowAllocations(long eetop);
    static native long slot();
    static native long klassOffset();
    static native String klassName(long klass);
    static native boolean isHidden(long klass);
    static native long predictedSize(long klass, int length);
    static native long jvmtiSize(Object object);
    static native long peek(long place);
    static native void poke(long place, long value);

    static final sun.misc.Unsafe UNSAFE;
    static final com.sun.management.ThreadMXBean THREADS =
            (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();

    static {
        try {
            java.lang.reflect.Field field = sun.misc.Unsafe.class.getDeclaredField("theUnsafe");
            field.setAccessible(true);
            UNSAFE = (sun.misc.Unsafe) field.get(null);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    static class Empty { }
    static class Mixed { byte a; long b; Object c; char d; double e; }
    static final class Wide extends Mixed { long f, g, h; boolean i; }
    interface Shape { }
    abstract static class Base implements Shape { }

    static volatile Object sink;

    public static void main(String[] args) throws Exception {
        System.load(args[0]);
        allocatedBytes();
        knownAllocations();
        outsideTheBuffer();
        sizes();
        names();
        reservedSlot();
        System.out.println("done");
    }

    static void check(boolean good, String what) {
        if (!good) throw new AssertionError(what);
    }

    static long klass(Class<?> type) {
        return UNSAFE.getLong(type, klassOffset());
    }

    /** The reading lies between two readings of the bean's number, and equals it when nothing was allocated between. */
    static void allocatedBytes() {
        long thread = Thread.currentThread().getId();
        long native_ = eetop(Thread.currentThread());
        int equal = 0, compared = 0;
        for (int round = 0; round < 2000; round++) {
            for (int i = 0; i < round % 40; i++) sink = new byte[round * 7 % 3000];
            long before = cooked(native_);
            long bean = THREADS.getThreadAllocatedBytes(thread);
            long after = cooked(native_);
            check(before <= bean && bean <= after, "bean " + bean + " is not in " + before + ".." + after);
            if (before == after) {
                check(bean == before, "bean " + bean + " but " + before);
                equal++;
            }
            compared++;
        }
        System.out.println("allocated-bytes-compared " + compared);
        System.out.println("allocated-bytes-equal " + equal);
    }

    /** Objects of known size, interpreted or compiled: the reading grows by exactly their sum. */
    static void knownAllocations() {
        long native_ = eetop(Thread.currentThread());
        long bytes = predictedSize(klass(byte[].class), 100), mixed = predictedSize(klass(Mixed.class), 0);
        long ints = predictedSize(klass(int[].class), 1001), refs = predictedSize(klass(Object[].class), 13);
        for (int round = 0; round < 50; round++) {
            long before = cooked(native_);
            for (int i = 0; i < 1000; i++) {
                sink = new byte[100];
                sink = new Mixed();
                sink = new int[1001];
                sink = new Object[13];
            }
            long grown = cooked(native_) - before;
            check(grown == 1000 * (bytes + mixed + ints + refs),
                    "grown by " + grown + " instead of " + 1000 * (bytes + mixed + ints + refs));
        }
        System.out.println("known-allocations 200000");
    }

    /** A large array goes past the buffer: the sum shows it, the top does not move. */
    static void outsideTheBuffer() {
        long native_ = eetop(Thread.currentThread());
        long size = predictedSize(klass(long[].class), 3_000_000);
        // The first call of a native method binds it, which allocates.
        int seen = (int) Math.min(0, tlabTop(native_) + slowAllocations(native_));
        for (int round = 0; round < 10; round++) {
            long before = cooked(native_), top = tlabTop(native_), slow = slowAllocations(native_);
            sink = new long[3_000_000];
            long grown = cooked(native_) - before, topAfter = tlabTop(native_), slowAfter = slowAllocations(native_);
            check(grown == size, "large array of " + size + " grew by " + grown);
            // A collection in between resets the top, and the count with most collectors (Shenandoah of JDK 11 retires buffers at every
            // pause and leaves the count); then there is nothing to compare.
            if (slowAfter > slow && topAfter != 0) {
                // ZGC before generations keeps a colour above bit 41 of every pointer, which a new cycle changes.
                check((topAfter ^ top) << 22 == 0 && slowAfter == slow + 1, "one allocation outside the buffer, top moved by " + (topAfter - top));
                seen++;
            }
            sink = null;
        }
        System.out.println("outside-the-buffer " + seen);
    }

    /** The layout helper against JVMTI's own size of the object. */
    static void sizes() {
        List<Object> objects = new ArrayList<>(List.of(new Empty(), new Mixed(), new Wide(), "text", 17, 18L, 'c', 1.5,
                new ArrayList<>(), new java.util.HashMap<>(), new Object(), new int[0][0], new String[3][2], Thread.currentThread(),
                (Runnable) () -> sink = null));
        for (int length = 0; length < 40; length++) {
            objects.add(new boolean[length]);
            objects.add(new byte[length]);
            objects.add(new char[length]);
            objects.add(new short[length]);
            objects.add(new int[length]);
            objects.add(new long[length]);
            objects.add(new float[length]);
            objects.add(new double[length]);
            objects.add(new Object[length]);
            objects.add(new Mixed[length]);
        }
        for (Object object : objects) {
            Class<?> type = object.getClass();
            int length = type.isArray() ? java.lang.reflect.Array.getLength(object) : 0;
            long predicted = predictedSize(klass(type), length), told = jvmtiSize(object);
            check(predicted == told, type + "[" + length + "]: " + predicted + " but JVMTI says " + told);
        }
        check(predictedSize(klass(Shape.class), 0) == 0 || Shape.class.isInterface(), "interface");
        System.out.println("sizes " + objects.size());
    }

    static void names() {
        Runnable lambda = () -> sink = "x";
        Class<?>[] types = {Object.class, String.class, int[].class, String[][].class, Empty.class, Wide.class, Shape.class,
            Base.class, java.util.Map.Entry.class, HotspotProbe.class, Thread.State.class};
        for (Class<?> type : types) {
            check(klassName(klass(type)).equals(type.getName().replace('.', '/')), type + " is " + klassName(klass(type)));
            check(!isHidden(klass(type)), type + " is not hidden");
        }
        boolean hiddenClasses = Runtime.version().feature() >= 15;
        check(isHidden(klass(lambda.getClass())) == hiddenClasses, "lambda " + klassName(klass(lambda.getClass())));
        System.out.println("names " + types.length);
    }

    /** The reserved word: zero in every thread, keeps what is written, through collections, compilation and many threads. */
    static void reservedSlot() throws Exception {
        long slot = slot();
        if (slot < 0) {
            System.out.println("slot-threads 0");
            return;
        }
        AtomicInteger good = new AtomicInteger();
        Thread[] threads = new Thread[8];
        for (int i = 0; i < threads.length; i++) {
            long mark = 0x5A5A_0000_0000_0000L + i;
            threads[i] = new Thread(() -> {
                long place = eetop(Thread.currentThread()) + slot;
                boolean fine = peek(place) == 0;
                poke(place, mark);
                for (int round = 0; round < 200_000; round++) {
                    sink = new byte[round % 100];
                    if (round % 1000 == 0) fine &= peek(place) == mark;
                }
                System.gc();
                try {
                    Class.forName("java.util.TreeMap$SubMap");
                    throw new IllegalStateException();
                } catch (IllegalStateException | ClassNotFoundException e) {
                    sink = e;
                }
                fine &= peek(place) == mark;
                poke(place, 0);
                if (fine) good.incrementAndGet();
            });
            threads[i].start();
        }
        for (Thread thread : threads) thread.join();
        System.out.println("slot-threads " + good.get());
    }
}
