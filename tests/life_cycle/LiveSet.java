import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;

/**
 * Keeps as many megabytes as are named, and makes garbage evenly for three seconds, in which these become old, and then for as many as are named. Prints the share of that time in
 * pauses of collections, per mille.
 */
public final class LiveSet {
    private static byte[][] live;
    private static volatile Object sink;

    private LiveSet() {}

    private static long pauses() {
        long millis = 0;
        for (GarbageCollectorMXBean collector : ManagementFactory.getGarbageCollectorMXBeans()) {
            millis += collector.getName().contains("Concurrent") ? 0 : collector.getCollectionTime();
        }
        return millis;
    }

    public static void main(String[] arguments) throws Exception {
        live = new byte[16 * Integer.parseInt(arguments[0])][];
        for (int at = 0; at < live.length; at++) {
            live[at] = new byte[(1 << 16) - 16];
        }
        System.out.println("ready");
        System.out.flush();
        garbage(3);
        long before = pauses();
        long start = System.nanoTime();
        garbage(Long.parseLong(arguments[1]));
        long millis = (System.nanoTime() - start) / 1_000_000;
        System.out.println(1000 * (pauses() - before) / millis + " " + live.length);
    }

    private static void garbage(long seconds) throws InterruptedException {
        long end = System.nanoTime() + seconds * 1_000_000_000L;
        while (System.nanoTime() < end) {
            for (int at = 0; at < 40; at++) {
                sink = new byte[10_000];
            }
            Thread.sleep(1);
        }
    }
}
