package ducktrack.published;

import io.github.resilience4j.ratelimiter.RateLimiter;
import io.github.resilience4j.ratelimiter.RateLimiterConfig;
import io.github.resilience4j.ratelimiter.internal.AtomicRateLimiter;
import io.github.resilience4j.ratelimiter.internal.SemaphoreBasedRateLimiter;
import java.time.Duration;

/**
 * A limiter per customer, dropped after use. That of resilience4j 1.7.1 is refreshed by a task of a thread of its own, and cannot be closed (resilience4j issue 1683).
 * The control takes the library's other limiter, which needs no thread.
 *
 * <p>KIND rate limiter HALF held-out HEAP 32 LIBRARY resilience4j
 *
 * <p>CULPRIT io.github.resilience4j.ratelimiter.internal.SemaphoreBasedRateLimiter.
 */
public final class Resilience4jLimiters {
    private static final boolean IS_REPAIRED = Boolean.getBoolean("ducktrack.leaks.repaired");

    private Resilience4jLimiters() {}

    /** Takes no words. */
    public static void main(String[] words) throws Exception {
        RateLimiterConfig config = RateLimiterConfig.custom().limitRefreshPeriod(Duration.ofHours(1)).limitForPeriod(100).build();
        int granted = 0;
        for (int customer = 0; customer < 3_000; customer++) {
            String name = "customer-" + customer;
            RateLimiter limiter = IS_REPAIRED ? new AtomicRateLimiter(name, config) : new SemaphoreBasedRateLimiter(name, config);
            for (int request = 0; request < 50; request++) {
                granted += limiter.acquirePermission() ? new byte[1_000].length / 1_000 : 0;
            }
        }
        System.out.println(granted + " granted, " + Thread.activeCount() + " threads");
        System.exit(0);
    }
}
