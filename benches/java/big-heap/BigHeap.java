import java.util.SplittableRandom;

/**
 * A large live heap that changes: {@code java BigHeap MEGABYTES SECONDS} fills that much with arrays of 400 to 600 bytes, replaces arrays
 * at random for that long, collects, and prints how many arrays live. How a trace knows them:
 * {@code ducktrack heap DIR --type BigHeap$Node}.
 */
public final class BigHeap {
    private static final class Node {
        final byte[] content;

        Node(int length) {
            content = new byte[length];
        }
    }

    private BigHeap() {}

    /** The words of the class comment. */
    public static void main(String[] words) throws Exception {
        // A node, its array of 500 bytes on average, and the reference to it.
        int slots = (int) (Long.parseLong(words[0]) * (1 << 20) / (16 + 16 + 500 + 8));
        Node[] table = new Node[slots];
        Thread[] threads = new Thread[2];
        for (int number = 0; number < threads.length; number++) {
            int half = number;
            threads[number] = new Thread(() -> run(table, half, Long.parseLong(words[1]) * 1000));
            threads[number].start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        System.gc();
        System.out.println("Node " + slots);
    }

    private static void run(Node[] table, int half, long millis) {
        SplittableRandom random = new SplittableRandom(half);
        for (int slot = half; slot < table.length; slot += 2) {
            table[slot] = new Node(400 + random.nextInt(200));
        }
        long end = System.currentTimeMillis() + millis;
        while (System.currentTimeMillis() < end) {
            for (int count = 0; count < 1000; count++) {
                table[random.nextInt(table.length / 2) * 2 + half] = new Node(400 + random.nextInt(200));
            }
        }
    }
}
