import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Threads that keep and drop objects of all sizes at random, while the collector runs: small ones, arrays that take a page of their own, and arrays between.
 *
 * <p>{@code java ConcurrentHeap THREADS STEPS SLOTS [FILE]}. With a file, the threads go on until it is there. At the end everything that is not in the table any more is dead: the program collects twice and prints how many objects of each
 * class live, and how many of the arrays are larger than a small page.
 */
public final class ConcurrentHeap {
    private static final int BATCH = 2_000;
    private static final int LARGE = 9 << 20;
    private static final int MEDIUM = 300_000;

    private static final class Small {
        long first;
        Object other;
    }

    private static final class Chain {
        final Chain next;
        final Bytes bytes;

        Chain(Chain next, Bytes bytes) {
            this.next = next;
            this.bytes = bytes;
        }
    }

    private static final class Bytes {
        final short[] content;

        Bytes(int length) {
            content = new short[length];
        }
    }

    private static Object[] table;
    private static Path file;

    private ConcurrentHeap() {}

    /** The words of the class comment. */
    public static void main(String[] words) throws Exception {
        int steps = Integer.parseInt(words[1]);
        table = new Object[Integer.parseInt(words[2])];
        file = words.length > 3 ? Path.of(words[3]) : null;
        List<Thread> threads = new ArrayList<>();
        for (int number = 0; number < Integer.parseInt(words[0]); number++) {
            int own = number;
            Thread thread = new Thread(() -> run(own, steps));
            thread.start();
            threads.add(thread);
        }
        for (Thread thread : threads) {
            thread.join();
        }
        System.gc();
        System.gc();
        long[] live = new long[5];
        for (Object slot : table) {
            count(slot, live);
        }
        System.out.println("Small " + live[0]);
        System.out.println("Chain " + live[1]);
        System.out.println("Bytes " + live[2]);
        System.out.println("short[] " + live[3]);
        System.out.println("large " + live[4]);
    }

    private static void run(int number, int steps) {
        Random random = new Random(number);
        for (int step = 0; step < steps || file != null && !Files.exists(file); step++) {
            for (int index = 0; index < BATCH; index++) {
                int slot = random.nextInt(table.length);
                int kind = random.nextInt(100);
                if (kind < 50) {
                    table[slot] = new Small();
                } else if (kind < 80) {
                    table[slot] = new Chain(null, new Bytes(random.nextInt(60)));
                } else if (kind < 95) {
                    Chain chain = null;
                    for (int length = random.nextInt(6); length >= 0; length--) {
                        chain = new Chain(chain, new Bytes(length));
                    }
                    table[slot] = chain;
                } else {
                    table[slot] = null;
                }
            }
            if (step % 10 == 0) {
                table[random.nextInt(8)] = new Bytes(MEDIUM / 2);
            }
            // Not all threads at once: a thousand would find no memory.
            if ((step + number) % 40 == 0) {
                table[8 + random.nextInt(2)] = new Bytes(LARGE / 2);
            }
        }
    }

    private static void count(Object slot, long[] live) {
        if (slot instanceof Small) {
            live[0]++;
        } else if (slot instanceof Bytes) {
            bytes((Bytes) slot, live);
        }
        Object next = slot;
        while (next instanceof Chain) {
            Chain chain = (Chain) next;
            live[1]++;
            bytes(chain.bytes, live);
            next = chain.next;
        }
    }

    private static void bytes(Bytes bytes, long[] live) {
        live[2]++;
        live[3]++;
        if (bytes.content.length >= MEDIUM / 2) {
            live[4]++;
        }
    }
}
