package ducktrack.workloads.lucene;

import ducktrack.harness.Checksum;
import ducktrack.harness.Run;
import ducktrack.harness.Words;
import ducktrack.harness.Workload;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.apache.lucene.analysis.standard.StandardAnalyzer;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.queryparser.classic.QueryParser;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.ScoreDoc;

/** Term, phrase, prefix, fuzzy and boolean queries; the checksum holds the ids of the best hits. */
public final class Search implements Workload {
    private static final int TEXTS = 8000;
    private static final int HITS = 10;

    private DirectoryReader reader;
    private final List<String> queries = new ArrayList<>();

    @Override
    public void prepare(Run run) throws Exception {
        reader = DirectoryReader.open(Corpus.index(TEXTS));
        Words words = new Words(13, Corpus.VOCABULARY);
        for (int i = 0; i < 100 * run.size(); i++) {
            queries.add(query(words, i % 5));
        }
    }

    private static String query(Words words, int kind) {
        return switch (kind) {
            case 0 -> words.word();
            case 1 -> "\"" + Words.ofRank(words.number(40)) + " " + Words.ofRank(words.number(40)) + "\"";
            case 2 -> Words.ofRank(words.number(200)).substring(0, 3) + "*";
            case 3 -> words.word() + "~1";
            default -> "+" + Words.ofRank(words.number(100)) + " " + words.word() + " -" + words.word();
        };
    }

    @Override
    public long iterate(Run run) throws Exception {
        IndexSearcher searcher = new IndexSearcher(reader);
        searcher.setQueryCache(null);
        List<Callable<Long>> tasks = new ArrayList<>();
        for (int i = 0; i < run.threads(); i++) {
            int first = i;
            tasks.add(() -> search(searcher, first, run.threads()));
        }
        Checksum all = new Checksum();
        run.parallel(tasks).forEach(all::add);
        return all.value();
    }

    private long search(IndexSearcher searcher, int first, int step) throws Exception {
        QueryParser parser = new QueryParser("body", new StandardAnalyzer());
        Checksum checksum = new Checksum();
        for (int i = first; i < queries.size(); i += step) {
            for (ScoreDoc hit : searcher.search(parser.parse(queries.get(i)), HITS).scoreDocs) {
                checksum.add(searcher.storedFields().document(hit.doc).get("id"));
            }
        }
        return checksum.value();
    }

    @Override
    public void close() throws Exception {
        if (reader != null) {
            reader.close();
        }
    }
}
