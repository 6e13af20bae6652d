package ducktrack.published;

import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.kafka.KafkaConsumerMetrics;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import javax.management.MBeanServer;
import javax.management.MBeanServerFactory;
import javax.management.ObjectName;

/**
 * Consumers that come and go, each with a bean of its own. Micrometer keeps the listeners of those that have gone (micrometer issue 2096).
 *
 * <p>KIND metrics HALF held-out HEAP 48 LIBRARY micrometer
 *
 * <p>CULPRIT io.micrometer.core.instrument.binder.kafka.KafkaConsumerMetrics.
 */
public final class MicrometerKafkaListeners {
    private MicrometerKafkaListeners() {}

    /** What a consumer tells. */
    public interface ConsumerMBean {
        /** A figure. */
        double getRecordsLag();
    }

    /** A consumer. */
    public static final class Consumer implements ConsumerMBean {
        @Override
        public double getRecordsLag() {
            return 1;
        }
    }

    /** Takes no words. */
    public static void main(String[] words) throws Exception {
        MBeanServer server = MBeanServerFactory.createMBeanServer();
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        KafkaConsumerMetrics metrics = new KafkaConsumerMetrics(server, Tags.empty());
        metrics.bindTo(registry);
        long sum = 0;
        for (int consumer = 0; consumer < 2_500; consumer++) {
            for (String type : new String[] {"consumer-fetch-manager-metrics", "consumer-coordinator-metrics"}) {
                ObjectName name = new ObjectName("kafka.consumer:type=" + type + ",client-id=consumer-" + consumer);
                server.registerMBean(new Consumer(), name);
                sum += new byte[4_000].length;
                server.unregisterMBean(name);
            }
        }
        System.out.println(sum + metrics.hashCode());
        System.exit(0);
    }
}
