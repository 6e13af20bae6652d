package ducktrack.workloads.jackson;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import ducktrack.harness.Checksum;
import ducktrack.harness.Run;
import ducktrack.harness.Words;
import ducktrack.harness.Workload;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;

/**
 * Service code: documents read to objects and to trees, changed, and written again.
 *
 * <p>With the property {@code ducktrack.json.fresh} Jackson makes its buffers anew for each document (which its own setting allows).
 */
public final class Json implements Workload {
    private static final int DOCUMENTS = 50;
    private static final int ROUNDS = 10;

    private final ObjectMapper mapper = new ObjectMapper(JsonFactory.builder()
            .configure(JsonFactory.Feature.USE_THREAD_LOCAL_FOR_BUFFER_RECYCLING, !Boolean.getBoolean("ducktrack.json.fresh"))
            .build());
    private final List<byte[]> documents = new ArrayList<>();

    @Override
    public void prepare(Run run) throws IOException {
        Words words = new Words(11, 5000);
        for (int i = 0; i < DOCUMENTS; i++) {
            documents.add(mapper.writeValueAsBytes(Invoice.generate(words, 40)));
        }
    }

    @Override
    public long iterate(Run run) throws Exception {
        List<Callable<Long>> tasks = new ArrayList<>();
        for (int i = 0; i < run.threads(); i++) {
            tasks.add(() -> roundTrips(ROUNDS * run.size()));
        }
        Checksum all = new Checksum();
        run.parallel(tasks).forEach(all::add);
        return all.value();
    }

    private long roundTrips(int rounds) throws IOException {
        Checksum checksum = new Checksum();
        for (int round = 0; round < rounds; round++) {
            for (byte[] document : documents) {
                Invoice invoice = mapper.readValue(document, Invoice.class);
                invoice.number += round;
                byte[] written = mapper.writeValueAsBytes(invoice);
                checksum.add(invoice.total()).add(written.length);
                checksum.add(viaTree(written));
            }
        }
        return checksum.value();
    }

    private int viaTree(byte[] written) throws IOException {
        JsonNode tree = mapper.readTree(written);
        for (JsonNode line : tree.get("lines")) {
            ((ObjectNode) line).put("sum", line.get("amount").asInt() * line.get("price").asInt());
        }
        return mapper.writeValueAsString(tree).hashCode();
    }
}
