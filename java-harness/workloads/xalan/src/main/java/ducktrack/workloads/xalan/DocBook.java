package ducktrack.workloads.xalan;

import ducktrack.harness.Books;
import ducktrack.harness.Checksum;
import ducktrack.harness.DebianFiles;
import ducktrack.harness.Run;
import ducktrack.harness.Workload;
import java.io.StringReader;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import javax.xml.transform.Templates;
import javax.xml.transform.stream.StreamResult;
import javax.xml.transform.stream.StreamSource;
import org.apache.xalan.processor.TransformerFactoryImpl;

/** The DocBook style sheets applied to generated books by Xalan's interpreter. */
public final class DocBook implements Workload {
    private final List<String> books = new ArrayList<>();
    private Templates templates;

    @Override
    public void prepare(Run run) throws Exception {
        Path sheet = DebianFiles.find(run.target(), "docbook-xsl", "usr/share/xml/docbook/stylesheet/docbook-xsl/html/docbook.xsl");
        templates = new TransformerFactoryImpl().newTemplates(new StreamSource(sheet.toUri().toString()));
        for (int i = 0; i < run.size(); i++) {
            books.add(Books.book(i, 4));
        }
    }

    @Override
    public long iterate(Run run) throws Exception {
        List<Callable<Long>> tasks = new ArrayList<>();
        for (int i = 0; i < run.threads(); i++) {
            int first = i;
            tasks.add(() -> transform(first, run.threads()));
        }
        Checksum all = new Checksum();
        run.parallel(tasks).forEach(all::add);
        return all.value();
    }

    private long transform(int first, int step) throws Exception {
        Checksum checksum = new Checksum();
        for (int i = first; i < books.size(); i += step) {
            StringWriter page = new StringWriter();
            templates.newTransformer().transform(new StreamSource(new StringReader(books.get(i))), new StreamResult(page));
            checksum.add(page.toString());
        }
        return checksum.value();
    }
}
