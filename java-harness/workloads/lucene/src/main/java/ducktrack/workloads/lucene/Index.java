package ducktrack.workloads.lucene;

import ducktrack.harness.Checksum;
import ducktrack.harness.Run;
import ducktrack.harness.Workload;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.LeafReaderContext;
import org.apache.lucene.store.ByteBuffersDirectory;

/** Indexes generated texts; the checksum holds the statistics of the index. */
public final class Index implements Workload {
    private static final int TEXTS = 10_000;

    @Override
    public void prepare(Run run) {
        // The texts are generated while they are indexed.
    }

    @Override
    public long iterate(Run run) throws Exception {
        try (ByteBuffersDirectory directory = Corpus.index(TEXTS * run.size());
                DirectoryReader reader = DirectoryReader.open(directory)) {
            Checksum checksum = new Checksum().add(reader.numDocs());
            for (LeafReaderContext leaf : reader.leaves()) {
                checksum.add(leaf.reader().terms("body").size()).add(leaf.reader().terms("body").getSumTotalTermFreq());
            }
            return checksum.value();
        }
    }
}
