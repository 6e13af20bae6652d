package ducktrack.published;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import org.slf4j.Logger;

/**
 * A logger for each connection, named after it. Loggers are never dropped. The control has one logger.
 *
 * <p>KIND loggers HALF held-out HEAP 64 LIBRARY logback
 *
 * <p>CULPRIT ch.qos.logback.classic.LoggerContext. ch.qos.logback.classic.Logger.
 */
public final class LoggersByName {
    private static final boolean IS_REPAIRED = Boolean.getBoolean("ducktrack.leaks.repaired");

    private LoggersByName() {}

    /** Takes no words. */
    public static void main(String[] words) {
        LoggerContext context = new LoggerContext();
        context.getLogger("ROOT").setLevel(Level.WARN);
        long sum = 0;
        for (int connection = 0; connection < 15_000; connection++) {
            String name = IS_REPAIRED ? "shop.connection" : "shop.connection-" + connection;
            Logger logger = context.getLogger(name);
            logger.info("connected {}", connection);
            sum += logger.getName().length() + new byte[5_000].length;
        }
        System.out.println(sum + context.hashCode());
        System.exit(0);
    }
}
