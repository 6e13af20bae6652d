package ducktrack.servers;

import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.Scope;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/** Spans of OpenTelemetry, current in the middle of methods, in each other, and on another thread. usage: OtelSpans N */
public final class OtelSpans {
    private static final int LARGE = 1 << 20;

    static Object made;
    static Tracer tracer;
    static String largest;

    private static final class Before {}

    private static final class In {}

    private static final class After {}

    private OtelSpans() {}

    static void checkout(int i, boolean isLarge) {
        made = new Before();
        Span span = tracer.spanBuilder("checkout").startSpan();
        try (Scope scope = span.makeCurrent()) {
            made = new In();
            if ((i & 1) == 0) {
                made = new In();
            }
            pay();
            if (isLarge) {
                largest = span.getSpanContext().getTraceId();
                made = new byte[LARGE];
            }
        } finally {
            span.end();
        }
        made = new After();
    }

    static void pay() {
        made = new Before();
        Span span = tracer.spanBuilder("pay").startSpan();
        try (Scope scope = span.makeCurrent(); Scope again = span.storeInContext(Context.current()).makeCurrent()) {
            made = new In();
        } finally {
            span.end();
        }
        made = new Before();
    }

    static void carried() {
        made = new In();
    }

    public static void main(String[] args) throws Exception {
        int times = Integer.parseInt(args[0]);
        tracer = SdkTracerProvider.builder().build().get("known");
        ExecutorService service = Executors.newFixedThreadPool(2);
        for (int i = 0; i < times; i++) {
            checkout(i, i == times / 2);
        }
        for (int i = 0; i < times; i++) {
            Span span = tracer.spanBuilder("batch").startSpan();
            try (Scope scope = span.makeCurrent()) {
                service.submit(Context.current().wrap(OtelSpans::carried)).get();
            }
            span.end();
        }
        service.shutdown();
        service.awaitTermination(1, TimeUnit.MINUTES);
        System.out.println("EXPECT\totel\tcheckout\tcheckout\t" + (times + (times + 1) / 2 + 1));
        System.out.println("EXPECT\totel\t-\tcheckout\t" + 2 * times);
        System.out.println("EXPECT\totel\tpay\tpay\t" + times);
        System.out.println("EXPECT\totel\tcheckout\tpay\t" + 2 * times);
        System.out.println("EXPECT\totel\t-\tpay\t0");
        System.out.println("EXPECT\totel\tbatch\tcarried\t" + times);
        System.out.println("EXECUTED\tcheckout\t" + times);
        System.out.println("TRACE\tcheckout\t" + largest);
    }
}
