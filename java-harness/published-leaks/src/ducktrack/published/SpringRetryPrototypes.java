package ducktrack.published;

import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Scope;
import org.springframework.retry.annotation.EnableRetry;
import org.springframework.retry.annotation.Retryable;

/**
 * A bean per order, whose method is tried again when it fails. Spring Retry 1.2.4 keeps what it made for each bean (spring-retry issue 141); 1.3.1 refers to it softly.
 *
 * <p>KIND proxies HALF held-out HEAP 64 OPTION -XX:SoftRefLRUPolicyMSPerMB=0 LIBRARY spring-retry
 *
 * <p>CULPRIT org.springframework.retry.annotation.AnnotationAwareRetryOperationsInterceptor.delegates
 */
public final class SpringRetryPrototypes {
    private static AnnotationConfigApplicationContext context;

    private SpringRetryPrototypes() {}

    /** An order. */
    public static class Order {
        private final byte[] text = new byte[500];

        /** Sells it. */
        @Retryable
        public int sell() {
            return ++text[0];
        }
    }

    /** The application. */
    @Configuration
    @EnableRetry(proxyTargetClass = true)
    public static class Shop {
        /** A new one each time. */
        @Bean
        @Scope("prototype")
        public Order order() {
            return new Order();
        }
    }

    /** Takes no words. */
    public static void main(String[] words) throws Exception {
        context = new AnnotationConfigApplicationContext(Shop.class);
        for (int order = 0; order < 15_000; order++) {
            context.getBean(Order.class).sell();
        }
    }
}
