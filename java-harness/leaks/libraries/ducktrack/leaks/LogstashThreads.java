package ducktrack.leaks;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.LoggingEvent;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ForkJoinPool;
import net.logstash.logback.encoder.LogstashEncoder;

/**
 * Logs from the common pool in every step. From JDK 16 on a thread of that pool loses its thread locals after each task, and logstash-logback-encoder 7.0.1
 * then makes new buffers for a thread whose old ones it keeps until that thread ends (issue 722 and change 806 of the library); 6.6 keeps none.
 *
 * <p>LIBRARY logstash
 *
 * <p>CULPRIT net.logstash.logback.util.ThreadLocalHolder$HolderRef made in net.logstash.logback.util.ThreadLocalHolder.initializeThread held by HolderRef
 */
public final class LogstashThreads {
    /** Not stopped at the end: that would free what has leaked. */
    private static final LogstashEncoder ENCODER = new LogstashEncoder();

    private LogstashThreads() {}

    /** Takes no words. */
    public static void main(String[] words) throws Exception {
        // With one processor the common pool would have no thread.
        System.setProperty("java.util.concurrent.ForkJoinPool.common.parallelism", "2");
        LoggerContext context = new LoggerContext();
        ENCODER.setContext(context);
        ENCODER.start();
        Logger logger = context.getLogger("shop");
        Work.steps(number -> {
            // A latch: a thread that waits for a task of the pool may run it itself.
            CountDownLatch end = new CountDownLatch(1);
            ForkJoinPool.commonPool().execute(() -> {
                ENCODER.encode(new LoggingEvent("shop", logger, Level.INFO, "sold", null, null));
                end.countDown();
            });
            end.await();
        });
    }
}
