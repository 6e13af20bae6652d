package ducktrack.workloads.jdk;

import ducktrack.harness.Books;
import ducktrack.harness.Checksum;
import ducktrack.harness.Run;
import ducktrack.harness.Workload;
import java.io.StringReader;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import javax.xml.transform.stream.StreamSource;
import javax.xml.validation.Schema;
import javax.xml.validation.SchemaFactory;
import javax.xml.validation.Validator;
import org.xml.sax.SAXParseException;

/** The JDK's own validation against an XML schema: generated books, every third of which has one mistake. */
public final class XmlValidation implements Workload {
    private final List<String> books = new ArrayList<>();

    @Override
    public void prepare(Run run) {
        for (int i = 0; i < run.size(); i++) {
            String book = Books.book(i, 60);
            books.add(i % 3 == 2 ? book.replaceFirst("linkend=\"c\\d+\"", "linkend=\"nowhere\"") : book);
        }
    }

    @Override
    public long iterate(Run run) throws Exception {
        Schema schema = SchemaFactory.newDefaultInstance().newSchema(XmlValidation.class.getResource("book.xsd"));
        List<Callable<Long>> tasks = new ArrayList<>();
        for (int i = 0; i < run.threads(); i++) {
            int first = i;
            tasks.add(() -> validate(schema, first, run.threads()));
        }
        Checksum all = new Checksum();
        run.parallel(tasks).forEach(all::add);
        return all.value();
    }

    private long validate(Schema schema, int first, int step) throws Exception {
        Checksum checksum = new Checksum();
        Validator validator = schema.newValidator();
        for (int i = first; i < books.size(); i += step) {
            try {
                validator.validate(new StreamSource(new StringReader(books.get(i))));
                checksum.add("valid");
            } catch (SAXParseException invalid) {
                checksum.add("invalid").add(invalid.getLineNumber());
            }
            validator.reset();
        }
        return checksum.value();
    }
}
