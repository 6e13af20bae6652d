import java.util.Arrays;
import java.util.List;

/**
 * Makes three kinds of objects in equal rounds, so that each costs the collector in its own way. Arguments: rounds, then the kinds to leave out.
 *
 * <p>{@code garbage} dies at once: it brings collections on, and is never copied. {@code window} lives for a few rounds: it is copied a few times
 * and dies young. {@code queue} lives long enough to be promoted, and dies soon after.
 */
public class GcCosts {
    private static final byte[][] WINDOW = new byte[4_000][];
    private static final long[][] QUEUE = new long[16_000][];
    private static byte[] garbage;
    private static int inWindow;
    private static int inQueue;

    public static void main(String[] arguments) {
        int rounds = Integer.parseInt(arguments[0]);
        List<String> left = Arrays.asList(arguments).subList(1, arguments.length);
        boolean garbageToo = !left.contains("garbage");
        boolean windowToo = !left.contains("window");
        boolean queueToo = !left.contains("queue");
        for (int round = 0; round < rounds; round++) {
            if (garbageToo) {
                makeGarbage();
            }
            if (windowToo) {
                fillWindow();
            }
            if (queueToo) {
                fillQueue();
            }
        }
        System.out.println("collector " + collectorNanos());
    }

    private static void makeGarbage() {
        for (int at = 0; at < 100; at++) {
            garbage = new byte[1_000];
        }
    }

    private static void fillWindow() {
        for (int at = 0; at < 80; at++) {
            WINDOW[inWindow] = new byte[500];
            inWindow = (inWindow + 1) % WINDOW.length;
        }
    }

    private static void fillQueue() {
        for (int at = 0; at < 60; at++) {
            QUEUE[inQueue] = new long[50];
            inQueue = (inQueue + 1) % QUEUE.length;
        }
    }

    /** CPU time of the threads that collect: it does not depend on what else the machine does. */
    private static long collectorNanos() {
        long sum = 0;
        java.io.File[] threads = new java.io.File("/proc/self/task").listFiles();
        for (java.io.File thread : threads) {
            String name = read(new java.io.File(thread, "comm")).trim();
            if (name.equals("VM Thread") || name.startsWith("GC Thread")) {
                sum += Long.parseLong(read(new java.io.File(thread, "schedstat")).split(" ")[0]);
            }
        }
        return sum;
    }

    private static String read(java.io.File file) {
        try {
            return new String(java.nio.file.Files.readAllBytes(file.toPath()), java.nio.charset.StandardCharsets.UTF_8);
        } catch (java.io.IOException gone) {
            return "0";
        }
    }
}
