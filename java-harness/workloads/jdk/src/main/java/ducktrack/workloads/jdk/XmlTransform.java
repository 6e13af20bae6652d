package ducktrack.workloads.jdk;

import ducktrack.harness.Books;
import ducktrack.harness.Checksum;
import ducktrack.harness.Run;
import ducktrack.harness.Workload;
import java.io.InputStream;
import java.io.StringReader;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import javax.xml.transform.Templates;
import javax.xml.transform.TransformerFactory;
import javax.xml.transform.stream.StreamResult;
import javax.xml.transform.stream.StreamSource;

/** The JDK's own XSLT compiler: a style sheet compiled to byte code, then applied to generated books. */
public final class XmlTransform implements Workload {
    private final List<String> books = new ArrayList<>();

    @Override
    public void prepare(Run run) {
        for (int i = 0; i < run.size(); i++) {
            books.add(Books.book(i, 40));
        }
    }

    @Override
    public long iterate(Run run) throws Exception {
        Templates templates;
        try (InputStream sheet = XmlTransform.class.getResourceAsStream("book.xsl")) {
            templates = TransformerFactory.newDefaultInstance().newTemplates(new StreamSource(sheet));
        }
        List<Callable<Long>> tasks = new ArrayList<>();
        for (int i = 0; i < run.threads(); i++) {
            int first = i;
            tasks.add(() -> transform(templates, first, run.threads()));
        }
        Checksum all = new Checksum();
        run.parallel(tasks).forEach(all::add);
        return all.value();
    }

    private long transform(Templates templates, int first, int step) throws Exception {
        Checksum checksum = new Checksum();
        for (int i = first; i < books.size(); i += step) {
            StringWriter page = new StringWriter();
            templates.newTransformer().transform(new StreamSource(new StringReader(books.get(i))), new StreamResult(page));
            checksum.add(page.toString());
        }
        return checksum.value();
    }
}
