import java.lang.management.ManagementFactory;
import java.util.concurrent.CountDownLatch;

/**
 * Makes a known number of objects and ends as told: {@code LifeCycleProbe ENDING [THREADS]}. A block of work makes 100,000 objects of
 * {@link Marked} and as many {@code int[3]}.
 */
public final class LifeCycleProbe {
    static final int BLOCK = 100_000;

    static final class Marked {
        final int value;

        Marked(int value) {
            this.value = value;
        }
    }

    /** Made without end by daemon threads. */
    static final class Endless {
        int value;
    }

    /** Has fields of many sizes. */
    static final class Mixed {
        byte small;
        long large;
        Object reference;
        short other;
    }

    static Object sink;

    /** Made the first time it is asked for, so that the other runs have none. */
    private static final class View {
        static final java.nio.ByteBuffer BUFFER = java.nio.ByteBuffer.allocate(16).asReadOnlyBuffer();
    }

    static void work() {
        for (int i = 0; i < BLOCK; i++) {
            sink = new Marked(i);
            sink = new int[3];
        }
    }

    static void workInThreads(int threads) throws InterruptedException {
        Thread[] all = new Thread[threads];
        for (int i = 0; i < threads; i++) {
            all[i] = new Thread(LifeCycleProbe::work, "worker-" + i);
            all[i].start();
        }
        for (Thread thread : all) {
            thread.join();
        }
    }

    /** Daemons that did their work and go on making objects. */
    static void leaveDaemons(int threads) throws InterruptedException {
        CountDownLatch done = new CountDownLatch(threads);
        for (int i = 0; i < threads; i++) {
            Thread thread = new Thread(() -> {
                work();
                // The first one before anybody may end the JVM: on a busy machine there might be none at all.
                sink = new Endless();
                done.countDown();
                while (true) {
                    sink = new Endless();
                }
            }, "daemon-" + i);
            thread.setDaemon(true);
            thread.start();
        }
        done.await();
    }

    /** Objects and arrays of every layout, nothing else. */
    static void layouts(int rounds) {
        for (int i = 0; i < rounds; i++) {
            sink = new Object();
            sink = new Marked(i);
            sink = new Mixed();
            sink = new boolean[i & 31];
            sink = new byte[i & 31];
            sink = new char[i & 31];
            sink = new short[i & 31];
            sink = new int[i & 31];
            sink = new float[i & 31];
            sink = new long[i & 31];
            sink = new double[i & 31];
            sink = new Object[i & 31];
            sink = new Mixed[7];
            sink = new int[2][3];
        }
    }

    /** Prints what the VM says the current thread allocated for {@link #layouts}. */
    static void measure() {
        com.sun.management.ThreadMXBean threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        long self = Thread.currentThread().getId();
        // Loaded now: loading allocates.
        sink = new Object[] {new Marked(0), new Mixed[] {new Mixed()}, new int[1][1]};
        threads.getThreadAllocatedBytes(self);
        long empty = threads.getThreadAllocatedBytes(self);
        long start = threads.getThreadAllocatedBytes(self);
        layouts(BLOCK);
        long end = threads.getThreadAllocatedBytes(self);
        System.out.println("ALLOCATED " + (end - start - (start - empty)));
    }

    /** Does it again and again, for a number of seconds. */
    private static void repeat(String seconds, Runnable work) {
        long end = System.nanoTime() + Integer.parseInt(seconds) * 1_000_000_000L;
        while (System.nanoTime() < end) {
            for (int i = 0; i < 1000; i++) {
                work.run();
            }
        }
    }

    /** Lets a class of the library make objects. In a method of its own: what runs already is not replaced when its class is retransformed. */
    private static void fillMap() {
        java.util.LinkedHashMap<Object, Object> map = new java.util.LinkedHashMap<>();
        map.put("a", map);
        map.put("b", map);
        sink = map;
    }

    /** The same with classes that only the library calls. In a class of its own: this one names {@code LinkedHashMap.put}. */
    private static final class Sets {
        static void fill() {
            java.util.LinkedHashSet<Object> set = new java.util.LinkedHashSet<>();
            set.add("a");
            set.add("b");
            sink = set;
        }
    }

    /** The same with a class that is not called by its name: `HeapByteBufferR`. */
    private static void duplicateView() {
        sink = View.BUFFER.duplicate();
    }

    private static void awaitLine() throws Exception {
        System.out.println("READY");
        System.out.flush();
        while (System.in.read() != '\n') {
            // Go on to the end of the line.
        }
    }

    public static void main(String[] words) throws Exception {
        int threads = words.length > 1 ? Integer.parseInt(words[1]) : 1;
        switch (words[0]) {
            case "return":
                workInThreads(threads);
                break;
            case "exit":
                work();
                System.exit(3);
                break;
            case "halt":
                work();
                Runtime.getRuntime().halt(4);
                break;
            case "throw":
                work();
                throw new IllegalStateException("as told");
            case "daemons":
                leaveDaemons(threads);
                break;
            case "wait":
                work();
                awaitLine();
                break;
            case "busy":
                leaveDaemons(threads);
                awaitLine();
                break;
            case "twice":
                work();
                awaitLine();
                work();
                break;
            case "library":
                repeat(words[1], LifeCycleProbe::fillMap);
                break;
            case "sets":
                repeat(words[1], Sets::fill);
                break;
            case "views":
                repeat(words[1], LifeCycleProbe::duplicateView);
                break;
            case "measure":
                measure();
                break;
            default:
                throw new IllegalArgumentException(words[0]);
        }
        System.out.println("DONE");
    }
}
