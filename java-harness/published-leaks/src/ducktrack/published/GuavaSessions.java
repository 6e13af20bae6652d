package ducktrack.published;

import com.google.common.cache.Cache;
import com.google.common.cache.CacheBuilder;
import java.time.Duration;

/**
 * Sessions that end some time after they began.
 *
 * <p>KIND sessions with a time limit HEAP 64 LIBRARY guava CONTROL
 */
public final class GuavaSessions {
    private static final Cache<String, byte[]> SESSIONS = CacheBuilder.newBuilder().expireAfterWrite(Duration.ofMillis(500)).build();

    private GuavaSessions() {}

    /** Takes no words. */
    public static void main(String[] words) throws Exception {
        long end = System.nanoTime() + 8_000_000_000L;
        for (int request = 0; System.nanoTime() < end; request++) {
            SESSIONS.put("session-" + request, new byte[800]);
            SESSIONS.getIfPresent("session-" + request / 2);
            if (request % 20 == 0) {
                Thread.sleep(1);
            }
        }
        System.out.println(SESSIONS.size());
    }
}
