package ducktrack.leaks;

import io.micrometer.core.instrument.binder.kafka.KafkaConsumerMetrics;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.lang.management.ManagementFactory;
import java.util.List;
import javax.management.MBeanServer;
import javax.management.ObjectName;

/**
 * A consumer of Kafka comes and goes in every step, as far as the MBean server can tell. Micrometer 1.3.6 adds a listener for each and never removes it (issue
 * 2096 of the library); 1.5.2 removes it. The MBean server keeps each listener in two tables.
 *
 * <p>LIBRARY micrometer
 *
 * <p>CULPRIT java.lang.ref.WeakReference made in com.sun.jmx.interceptor.DefaultMBeanServerInterceptor.getListenerWrapper held by listenerWrappers
 *
 * <p>CULPRIT javax.management.NotificationBroadcasterSupport$ListenerInfo made in javax.management.NotificationBroadcasterSupport.addNotificationListener held
 * by listenerList
 */
public final class MicrometerListeners {
    private MicrometerListeners() {}

    /** A consumer's figures. */
    public interface ConsumerMBean {
        /** One of them. */
        double getFetchRate();
    }

    /** A consumer. */
    public static final class Consumer implements ConsumerMBean {
        @Override
        public double getFetchRate() {
            return 1;
        }
    }

    /** Takes no words. */
    public static void main(String[] words) throws Exception {
        MBeanServer server = ManagementFactory.getPlatformMBeanServer();
        KafkaConsumerMetrics metrics = new KafkaConsumerMetrics(server, List.of());
        metrics.bindTo(new SimpleMeterRegistry());
        Work.steps(number -> {
            ObjectName name = new ObjectName("kafka.consumer:type=consumer-fetch-manager-metrics,client-id=consumer-" + number);
            server.registerMBean(new Consumer(), name);
            server.unregisterMBean(name);
        });
    }
}
