package ducktrack.published;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Calls with a timeout of an hour, all of which fail at once. Up to JDK 20 the timer keeps the future of each call that fails (JDK-8303742). The calls of the control do
 * not fail.
 *
 * <p>KIND timers HALF held-out HEAP 32
 *
 * <p>CULPRIT java.util.concurrent.CompletableFuture.orTimeout java.util.concurrent.CompletableFuture$Delayer.delay java.util.concurrent.CompletableFuture$Delayer.delayer
 */
public final class CompletableFutureTimeouts {
    private static final boolean IS_REPAIRED = Boolean.getBoolean("ducktrack.leaks.repaired");

    private CompletableFutureTimeouts() {}

    /** Takes no words. */
    public static void main(String[] words) throws Exception {
        IllegalStateException refused = new IllegalStateException("refused");
        long sum = 0;
        for (int call = 0; call < 60_000; call++) {
            CompletableFuture<byte[]> answer = new CompletableFuture<>();
            answer.orTimeout(1, TimeUnit.HOURS);
            if (IS_REPAIRED) {
                answer.complete(new byte[200]);
            } else {
                answer.completeExceptionally(refused);
            }
            sum += new byte[1_000].length + (answer.isDone() ? 1 : 0);
        }
        System.out.println(sum);
    }
}
