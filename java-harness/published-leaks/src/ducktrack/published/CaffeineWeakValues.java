package ducktrack.published;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;

/**
 * A cache with weak values, which is only written. Caffeine 2.3.1 does not remove the entries whose values are gone (caffeine issue 111); 2.3.2 does.
 *
 * <p>KIND cache HALF build HEAP 64 LIBRARY caffeine
 *
 * <p>CULPRIT com.github.benmanes.caffeine.cache.BoundedLocalCache.data com.github.benmanes.caffeine.cache.BoundedLocalCache.put
 */
public final class CaffeineWeakValues {
    private static final Cache<Long, Object> CACHE = Caffeine.newBuilder().executor(Runnable::run).weakValues().build();

    private CaffeineWeakValues() {}

    /** Takes no words. */
    public static void main(String[] words) throws Exception {
        for (long key = 0; key < 300_000; key++) {
            CACHE.put(key, new Object[20]);
            // As in the issue.
            if (key % 30_000 == 0) {
                System.gc();
            }
        }
        System.out.println(CACHE.estimatedSize());
    }
}
