package ducktrack.workloads.graphics;

import ducktrack.harness.Checksum;
import ducktrack.harness.Run;
import ducktrack.harness.Words;
import ducktrack.harness.Workload;
import java.io.ByteArrayOutputStream;
import java.io.StringReader;
import java.nio.file.Path;
import java.util.Date;
import javax.xml.parsers.SAXParserFactory;
import org.apache.fop.apps.FOUserAgent;
import org.apache.fop.apps.FopFactory;
import org.apache.fop.apps.FormattingResults;
import org.apache.fop.apps.MimeConstants;
import org.xml.sax.InputSource;

/** XSL-FO with paragraphs and tables to PDF; the checksum holds the page count and the header of the file. */
public final class Fop implements Workload {
    private static final int SECTIONS = 150;

    private FopFactory factory;
    private String document;

    @Override
    public void prepare(Run run) {
        java.util.logging.Logger.getLogger("org.apache.fop").setLevel(java.util.logging.Level.OFF);
        factory = FopFactory.newInstance(Path.of(".").toUri());
        Words words = new Words(21, 3000);
        StringBuilder text = new StringBuilder();
        text.append("<fo:root xmlns:fo=\"http://www.w3.org/1999/XSL/Format\"><fo:layout-master-set><fo:simple-page-master ")
                .append("master-name=\"page\" page-height=\"29.7cm\" page-width=\"21cm\" margin=\"2cm\"><fo:region-body/>")
                .append("</fo:simple-page-master></fo:layout-master-set><fo:page-sequence master-reference=\"page\">")
                .append("<fo:flow flow-name=\"xsl-region-body\">");
        for (int i = 0; i < SECTIONS * run.size(); i++) {
            section(text, words, i);
        }
        document = text.append("</fo:flow></fo:page-sequence></fo:root>").toString();
    }

    private static void section(StringBuilder text, Words words, int number) {
        text.append("<fo:block font-size=\"14pt\" font-weight=\"bold\" space-before=\"1em\" keep-with-next=\"always\" id=\"s")
                .append(number).append("\">").append(words.sentence(3)).append("</fo:block><fo:block text-align=\"justify\">")
                .append(words.sentence(90)).append(" <fo:page-number-citation ref-id=\"s").append(number / 2).append("\"/></fo:block>")
                .append("<fo:table table-layout=\"fixed\" width=\"100%\"><fo:table-body>");
        for (int row = 0; row < 6; row++) {
            text.append("<fo:table-row>");
            for (int column = 0; column < 4; column++) {
                text.append("<fo:table-cell border=\"0.5pt solid black\"><fo:block>")
                        .append(words.sentence(2)).append("</fo:block></fo:table-cell>");
            }
            text.append("</fo:table-row>");
        }
        text.append("</fo:table-body></fo:table>");
    }

    @Override
    public long iterate(Run run) throws Exception {
        ByteArrayOutputStream pdf = new ByteArrayOutputStream();
        FOUserAgent agent = factory.newFOUserAgent();
        agent.setCreationDate(new Date(0));
        agent.getEventBroadcaster().addEventListener(event -> {});
        org.apache.fop.apps.Fop fop = factory.newFop(MimeConstants.MIME_PDF, agent, pdf);
        // No identity transformer: JDK 25's holds the thread's one XML reader, which FOP asks for while it parses.
        SAXParserFactory parsers = SAXParserFactory.newDefaultInstance();
        parsers.setNamespaceAware(true);
        parsers.newSAXParser().parse(new InputSource(new StringReader(document)), fop.getDefaultHandler());
        FormattingResults results = fop.getResults();
        return new Checksum().add(results.getPageCount()).add(pdf.toByteArray(), 8).value();
    }
}
