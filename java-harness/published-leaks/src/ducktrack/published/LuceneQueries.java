package ducktrack.published;

import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.StringField;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.Term;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.TermQuery;
import org.apache.lucene.store.ByteBuffersDirectory;

/**
 * An index in memory whose documents are replaced, and searched by Lucene with its cache of queries.
 *
 * <p>KIND search HEAP 64 LIBRARY lucene CONTROL
 */
public final class LuceneQueries {
    private LuceneQueries() {}

    /** Takes no words. */
    public static void main(String[] words) throws Exception {
        long found = 0;
        try (ByteBuffersDirectory directory = new ByteBuffersDirectory();
                IndexWriter writer = new IndexWriter(directory, new IndexWriterConfig())) {
            for (int round = 0; round < 60; round++) {
                for (int id = 0; id < 400; id++) {
                    Document document = new Document();
                    document.add(new StringField("id", "customer-" + id, Field.Store.YES));
                    document.add(new StringField("city", "city-" + (id + round) % 50, Field.Store.YES));
                    writer.updateDocument(new Term("id", "customer-" + id), document);
                }
                writer.commit();
                try (DirectoryReader reader = DirectoryReader.open(directory)) {
                    IndexSearcher searcher = new IndexSearcher(reader);
                    for (int query = 0; query < 200; query++) {
                        found += searcher.search(new TermQuery(new Term("city", "city-" + query % 50)), 10).scoreDocs.length;
                    }
                }
            }
        }
        System.out.println(found);
    }
}
