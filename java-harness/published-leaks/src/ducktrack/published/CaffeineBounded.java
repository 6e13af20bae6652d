package ducktrack.published;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;

/**
 * A cache of prices that replaces the least used.
 *
 * <p>KIND cache that replaces HEAP 64 LIBRARY caffeine-bounded CONTROL
 */
public final class CaffeineBounded {
    private static final Cache<Integer, char[]> PRICES = Caffeine.newBuilder().maximumSize(20_000).build();

    private CaffeineBounded() {}

    /** Takes no words. */
    public static void main(String[] words) throws Exception {
        long sum = 0;
        for (int request = 0; request < 600_000; request++) {
            int product = (int) (Math.abs(request * 2_654_435_761L) % 90_000);
            sum += PRICES.get(product, number -> new char[150]).length;
        }
        System.out.println(sum);
    }
}
