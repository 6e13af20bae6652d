import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;

/**
 * Several threads allocate as fast as they can for a number of seconds, and keep a part of it for a while in a shared cache.
 *
 * <p>{@code java SoakProbe SECONDS [THREADS]}. Objects of many sizes and ages: strings, boxed numbers, small and large arrays (some humongous),
 * linked lists that die in the old generation, objects with identity hash codes and locks, lambdas, threads that come and go.
 */
public final class SoakProbe {
    private static final int CACHE = 40_000;
    private static final ConcurrentHashMap<Integer, Object> CACHED = new ConcurrentHashMap<>();

    private SoakProbe() {}

    private static final class Node {
        final long value;
        Node next;

        Node(long value, Node next) {
            this.value = value;
            this.next = next;
        }
    }

    /** Seconds, and threads (default 4). */
    public static void main(String[] words) throws InterruptedException {
        long end = System.nanoTime() + Long.parseLong(words[0]) * 1_000_000_000L;
        int threads = words.length > 1 ? Integer.parseInt(words[1]) : 4;
        CountDownLatch done = new CountDownLatch(threads);
        for (int number = 0; number < threads; number++) {
            int seed = number;
            new Thread(() -> {
                long rounds = 0;
                while (System.nanoTime() < end) {
                    round(new Random(seed * 31L + rounds++));
                }
                done.countDown();
            }, "soak-" + number).start();
        }
        while (!done.await(50, java.util.concurrent.TimeUnit.MILLISECONDS)) {
            Thread shortLived = new Thread(() -> CACHED.put(-1, new StringBuilder("thread").append(System.nanoTime()).toString()));
            shortLived.start();
            shortLived.join();
        }
        System.out.println("cached " + CACHED.size());
    }

    private static void round(Random random) {
        for (int step = 0; step < 2_000; step++) {
            int key = random.nextInt(CACHE);
            CACHED.put(key, made(random, key));
        }
        List<String> texts = new ArrayList<>();
        for (int step = 0; step < 5_000; step++) {
            texts.add("text " + step + " of " + random.nextInt());
        }
        texts.removeIf(text -> text.length() % 2 == 0);
    }

    private static Object made(Random random, int key) {
        switch (random.nextInt(8)) {
            case 0:
                return Long.valueOf(random.nextLong());
            case 1:
                return new byte[random.nextInt(2_000)];
            case 2:
                return new Object[random.nextInt(50)][random.nextInt(4)];
            case 3:
                Node list = null;
                for (int length = random.nextInt(60); length > 0; length--) {
                    list = new Node(length, list);
                }
                return list == null ? "" : list;
            case 4:
                Object hashed = new Object();
                hashed.hashCode();
                return hashed;
            case 5:
                Runnable lambda = () -> CACHED.get(key);
                return lambda;
            case 6:
                return random.nextInt(500) == 0 ? new long[200_000] : new int[random.nextInt(300)];
            default:
                return new StringBuilder("value ").append(key).toString();
        }
    }
}
