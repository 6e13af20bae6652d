package ducktrack.leaks;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.LoggingEvent;
import net.logstash.logback.encoder.LogstashEncoder;

/**
 * Logs from a thread of its own in every step. From JDK 16 on logstash-logback-encoder 7.0.1 does not notice that a thread has ended, and keeps its buffers
 * (issue 722 of the library); 6.6 keeps none.
 *
 * <p>LIBRARY logstash
 *
 * <p>CULPRIT net.logstash.logback.util.ThreadLocalHolder$HolderRef made in net.logstash.logback.util.ThreadLocalHolder.initializeThread held by HolderRef
 */
public final class LogstashThreads {
    private LogstashThreads() {}

    /** Takes no words. */
    public static void main(String[] words) throws Exception {
        LoggerContext context = new LoggerContext();
        LogstashEncoder encoder = new LogstashEncoder();
        encoder.setContext(context);
        encoder.start();
        Logger logger = context.getLogger("shop");
        Work.steps(number -> {
            Thread thread = new Thread(() -> encoder.encode(new LoggingEvent("shop", logger, Level.INFO, "sold", null, null)));
            thread.start();
            thread.join();
        });
        encoder.stop();
    }
}
