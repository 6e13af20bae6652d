package ducktrack.workloads.lucene;

import ducktrack.harness.Words;
import java.io.IOException;
import org.apache.lucene.analysis.standard.StandardAnalyzer;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.NumericDocValuesField;
import org.apache.lucene.document.StringField;
import org.apache.lucene.document.TextField;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.SerialMergeScheduler;
import org.apache.lucene.store.ByteBuffersDirectory;

/** Generated texts, indexed in memory by one thread, so that the index is the same each time. */
final class Corpus {
    static final int VOCABULARY = 30_000;

    private Corpus() {}

    static ByteBuffersDirectory index(int texts) throws IOException {
        ByteBuffersDirectory directory = new ByteBuffersDirectory();
        IndexWriterConfig config = new IndexWriterConfig(new StandardAnalyzer());
        config.setMergeScheduler(new SerialMergeScheduler());
        try (IndexWriter writer = new IndexWriter(directory, config)) {
            Words words = new Words(5, VOCABULARY);
            for (int i = 0; i < texts; i++) {
                Document document = new Document();
                document.add(new StringField("id", Integer.toString(i), Field.Store.YES));
                document.add(new TextField("body", words.sentence(60), Field.Store.NO));
                document.add(new NumericDocValuesField("weight", words.number(1000)));
                writer.addDocument(document);
            }
            writer.forceMerge(1);
        }
        return directory;
    }
}
