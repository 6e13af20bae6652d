import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;

/** Fills a heap with objects of all kinds, some dead, some humongous, and lets the probe agent walk it. */
public class HeapWalkProbe {
    static native String compare(long chunkSize);

    static class Node { Node left, right; long weight; byte[] load; }

    static final List<Object> KEPT = new ArrayList<>();
    static volatile Object sink;

    public static void main(String[] args) throws Exception {
        System.load(args[0]);
        boolean virtual = args.length > 1 && args[1].equals("virtual");
        CountDownLatch release = new CountDownLatch(1);
        if (virtual) parkVirtualThreads(release);
        fill();
        for (int round = 0; round < 3; round++) {
            // Dead objects in old regions are skipped by JVMTI and not by a walk: after a full collection there are none.
            System.gc();
            fill();
            System.out.println("round " + round + "\n" + compare(chunkSize()));
        }
        release.countDown();
        System.out.println("done");
    }

    static void fill() {
        Map<String, Object> map = new HashMap<>();
        for (int i = 0; i < 20_000; i++) {
            Node node = new Node();
            node.load = new byte[i % 200];
            node.left = new Node();
            if (i % 7 == 0) map.put("key" + i, node);
            sink = new long[i % 30];
            sink = new Object[i % 5][2];
            Runnable lambda = i % 3 == 0 ? () -> sink = node : () -> KEPT.add(node);
            if (i % 100 == 0) map.put("lambda" + i, lambda);
        }
        KEPT.add(map);
        KEPT.add(new int[1_000_000]);
        sink = new double[600_000];
    }

    /** The offset of StackChunk.size by the internal Unsafe; -1 where there is no such class. */
    static long chunkSize() throws Exception {
        try {
            Class<?> chunk = Class.forName("jdk.internal.vm.StackChunk");
            Class<?> unsafe = Class.forName("jdk.internal.misc.Unsafe");
            Object instance = unsafe.getMethod("getUnsafe").invoke(null);
            return (Long) unsafe.getMethod("objectFieldOffset", Class.class, String.class).invoke(instance, chunk, "size");
        } catch (ClassNotFoundException e) {
            return -1;
        }
    }

    /** Virtual threads that wait at several depths, so that their stacks are in the heap. */
    static void parkVirtualThreads(CountDownLatch release) throws Exception {
        CountDownLatch waiting = new CountDownLatch(200);
        java.lang.reflect.Method start = Thread.class.getMethod("startVirtualThread", Runnable.class);
        for (int i = 0; i < 200; i++) {
            int depth = i;
            start.invoke(null, (Runnable) () -> {
                waiting.countDown();
                descend(depth, release, "s" + depth);
            });
        }
        waiting.await();
        Thread.sleep(200);
    }

    static int descend(int depth, CountDownLatch release, Object kept) {
        if (depth > 0) return descend(depth - 1, release, kept) + 1;
        try {
            release.await();
        } catch (InterruptedException e) {
            return -1;
        }
        return kept.hashCode();
    }
}
