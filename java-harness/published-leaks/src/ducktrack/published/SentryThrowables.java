package ducktrack.published;

import io.sentry.Hub;
import io.sentry.ISpan;
import io.sentry.ITransaction;
import io.sentry.SentryOptions;
import io.sentry.SpanStatus;

/**
 * Requests that fail, each with its transaction. The hub keeps throwables weakly, and their spans, which hold the throwables (sentry-java issue 2225).
 *
 * <p>KIND weak map whose values hold the keys HALF held-out HEAP 96 LIBRARY sentry
 *
 * <p>CULPRIT io.sentry.Hub.throwableToSpan io.sentry.Hub.setSpanContext
 */
public final class SentryThrowables {
    private SentryThrowables() {}

    private static final class OrderFailed extends RuntimeException {
        private static final long serialVersionUID = 1;

        private final byte[] order = new byte[600];

        OrderFailed(int order) {
            super("order " + order);
        }
    }

    /** Takes no words. */
    public static void main(String[] words) {
        SentryOptions options = new SentryOptions();
        options.setDsn("https://key@localhost/1");
        options.setTracesSampleRate(0.0);
        options.setEnableShutdownHook(false);
        Hub hub = new Hub(options);
        long sum = 0;
        for (int request = 0; request < 12_000; request++) {
            ITransaction transaction = hub.startTransaction("order", "http");
            ISpan span = transaction.startChild("store");
            OrderFailed failed = new OrderFailed(request);
            span.setThrowable(failed);
            span.finish(SpanStatus.INTERNAL_ERROR);
            transaction.setThrowable(failed);
            transaction.finish(SpanStatus.INTERNAL_ERROR);
            sum += failed.order.length + new byte[3_000].length;
        }
        System.out.println(sum + hub.toString().length());
        System.exit(0);
    }
}
