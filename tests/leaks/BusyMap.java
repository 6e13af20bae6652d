import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;

/** Two threads replace the values of a map as fast as they can: most of what lives was made a moment ago. For the seconds that are given. */
final class BusyMap {
    static final ConcurrentHashMap<Integer, Value> VALUES = new ConcurrentHashMap<>();
    static volatile Object gone;

    static final class Value {
        final byte[] bytes;

        Value(int length) {
            bytes = new byte[length];
        }
    }

    public static void main(String[] arguments) throws InterruptedException {
        long end = System.nanoTime() + Long.parseLong(arguments[0]) * 1_000_000_000L;
        Thread other = new Thread(() -> replace(end, 1));
        other.start();
        replace(end, 2);
        other.join();
    }

    private static void replace(long end, int seed) {
        Random random = new Random(seed);
        while (System.nanoTime() < end) {
            VALUES.put(random.nextInt(60_000), new Value(random.nextInt(2_000)));
            for (int i = 0; i < 30; i++) {
                gone = new byte[random.nextInt(100)];
            }
        }
    }
}
