package ducktrack.published;

import io.prometheus.client.Summary;
import java.util.Random;

/**
 * A summary with quantiles observes latencies. The samples of simpleclient 0.14.1 grow with what was observed (client_java issues 422, 550, 654 and change 755);
 * those of 0.15.0 do not.
 *
 * <p>KIND metrics HALF build HEAP 32 LIBRARY prometheus
 *
 * <p>CULPRIT io.prometheus.client.CKMSQuantiles.sample io.prometheus.client.CKMSQuantiles.insertBatch
 */
public final class PrometheusQuantiles {
    private PrometheusQuantiles() {}

    /** Takes no words. */
    public static void main(String[] words) throws Exception {
        Random random = new Random(1);
        Summary.Builder builder = Summary.build("latency", "seconds").quantile(0.5, 0.05).quantile(0.9, 0.01).quantile(0.99, 0.001);
        Summary latency = builder.register();
        for (int observation = 0; observation < 3_000_000; observation++) {
            latency.observe(Math.exp(random.nextGaussian()));
        }
    }
}
