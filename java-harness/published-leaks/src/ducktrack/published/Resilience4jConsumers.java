package ducktrack.published;

import io.github.resilience4j.consumer.CircularEventConsumer;
import io.github.resilience4j.consumer.DefaultEventConsumerRegistry;

/**
 * The events of a circuit breaker per customer go to a consumer. The registry of resilience4j 1.7.1 has no way to take one out (resilience4j issue 2243). The
 * control has fifty customers.
 *
 * <p>KIND registry HALF build HEAP 48 LIBRARY events
 *
 * <p>CULPRIT io.github.resilience4j.consumer.DefaultEventConsumerRegistry.registry io.github.resilience4j.consumer.DefaultEventConsumerRegistry.createEventConsumer
 */
public final class Resilience4jConsumers {
    private static final boolean IS_REPAIRED = Boolean.getBoolean("ducktrack.leaks.repaired");

    private static final DefaultEventConsumerRegistry<Event> REGISTRY = new DefaultEventConsumerRegistry<>();

    private Resilience4jConsumers() {}

    private record Event(String customer, long number, char[] text) {}

    /** Takes no words. */
    public static void main(String[] words) throws Exception {
        for (int customer = 0; customer < 10_000; customer++) {
            String name = "customer-" + (IS_REPAIRED ? customer % 50 : customer);
            CircularEventConsumer<Event> consumer = REGISTRY.createEventConsumer(name, 10);
            for (int event = 0; event < 200; event++) {
                consumer.consumeEvent(new Event(name, event, new char[100]));
            }
        }
    }
}
