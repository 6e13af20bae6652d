package ducktrack.workloads.jdk;

import ducktrack.harness.Checksum;
import ducktrack.harness.Run;
import ducktrack.harness.Words;
import ducktrack.harness.Workload;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;

/**
 * Serializes object graphs to memory and reads them back.
 *
 * <p>Property {@code ducktrack.serial.buffer}: the first size of the memory (else a stream's own). With {@code ducktrack.serial.reuse} a task takes the same
 * memory again and again.
 */
public final class Serial implements Workload {
    private static final int GRAPHS = 40;
    private static final int BUFFER = Integer.getInteger("ducktrack.serial.buffer", 32);
    private static final boolean REUSES = Boolean.getBoolean("ducktrack.serial.reuse");

    private List<Folder> graphs;

    @Override
    public void prepare(Run run) {
        Words words = new Words(7, 3000);
        graphs = new ArrayList<>();
        for (int i = 0; i < GRAPHS; i++) {
            graphs.add(Folder.generate(words, null, 3));
        }
    }

    @Override
    public long iterate(Run run) throws Exception {
        List<Callable<Long>> tasks = new ArrayList<>();
        for (int i = 0; i < run.threads(); i++) {
            tasks.add(() -> copies(run.size()));
        }
        Checksum all = new Checksum();
        run.parallel(tasks).forEach(all::add);
        return all.value();
    }

    private long copies(int rounds) throws IOException, ClassNotFoundException {
        Checksum checksum = new Checksum();
        ByteArrayOutputStream reused = new ByteArrayOutputStream(BUFFER);
        for (int round = 0; round < rounds; round++) {
            for (Folder graph : graphs) {
                ByteArrayOutputStream bytes = REUSES ? reused : new ByteArrayOutputStream(BUFFER);
                bytes.reset();
                try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
                    out.writeObject(graph);
                }
                try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
                    checksum.add(bytes.size()).add(((Folder) in.readObject()).sum());
                }
            }
        }
        return checksum.value();
    }
}
