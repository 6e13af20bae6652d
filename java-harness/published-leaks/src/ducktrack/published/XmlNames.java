package ducktrack.published;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import javax.xml.parsers.SAXParser;
import javax.xml.parsers.SAXParserFactory;
import org.xml.sax.Attributes;
import org.xml.sax.helpers.DefaultHandler;

/**
 * A parser that is used again, as its users are told to, for documents whose elements have names of their own. Its table of symbols keeps every name. The control has a
 * parser for each document.
 *
 * <p>KIND names in a parser HALF held-out HEAP 64
 *
 * <p>CULPRIT com.sun.org.apache.xerces.internal.util.SymbolTable. com.sun.org.apache.xerces.internal.util.SymbolTable$Entry.
 */
public final class XmlNames {
    private static final boolean IS_REPAIRED = Boolean.getBoolean("ducktrack.leaks.repaired");

    private XmlNames() {}

    private static final class Count extends DefaultHandler {
        private long elements;

        @Override
        public void startElement(String uri, String localName, String name, Attributes attributes) {
            elements++;
        }
    }

    /** Takes no words. */
    public static void main(String[] words) throws Exception {
        SAXParserFactory factory = SAXParserFactory.newInstance();
        SAXParser one = factory.newSAXParser();
        Count count = new Count();
        for (int document = 0; document < 3_000; document++) {
            StringBuilder text = new StringBuilder("<orders>");
            for (int order = 0; order < 40; order++) {
                String name = "order-" + document + "-" + order;
                text.append('<').append(name).append(">1</").append(name).append('>');
            }
            text.append("</orders>");
            SAXParser parser = IS_REPAIRED ? factory.newSAXParser() : one;
            parser.parse(new ByteArrayInputStream(text.toString().getBytes(StandardCharsets.UTF_8)), count);
        }
        System.out.println(count.elements);
    }
}
