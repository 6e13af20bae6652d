package ducktrack.harness;

/** Generated books in DocBook 4: chapters of sections with paragraphs, emphasis, lists, tables, listings and links. */
public final class Books {
    private static final int SECTIONS = 5;
    private static final int PARAGRAPHS = 4;
    private static final int ROWS = 6;

    private final Words words;
    private final StringBuilder text = new StringBuilder();

    private Books(long seed) {
        words = new Words(seed, 4000);
    }

    /** One book; the same for the same arguments. */
    public static String book(long seed, int chapters) {
        Books writer = new Books(seed);
        writer.text.append("<?xml version=\"1.0\"?>\n<book id=\"book").append(seed).append("\">\n");
        writer.element("title", 4);
        writer.text.append("<bookinfo><author><firstname>A</firstname><surname>B</surname></author></bookinfo>\n");
        for (int i = 0; i < chapters; i++) {
            writer.chapter(i, chapters);
        }
        return writer.text.append("</book>\n").toString();
    }

    private void element(String name, int length) {
        text.append('<').append(name).append('>').append(words.sentence(length)).append("</").append(name).append(">\n");
    }

    private void chapter(int number, int chapters) {
        text.append("<chapter id=\"c").append(number).append("\">\n");
        element("title", 3);
        for (int i = 0; i < SECTIONS; i++) {
            section(number, i, chapters);
        }
        text.append("</chapter>\n");
    }

    private void section(int chapter, int number, int chapters) {
        text.append("<section id=\"c").append(chapter).append('s').append(number).append("\">\n");
        element("title", 3);
        for (int i = 0; i < PARAGRAPHS; i++) {
            text.append("<para>").append(words.sentence(20)).append(" <emphasis>").append(words.sentence(2)).append("</emphasis> ");
            text.append("<xref linkend=\"c").append(words.number(chapters)).append("\"/> ").append(words.sentence(15)).append("</para>\n");
        }
        list();
        table();
        text.append("<programlisting>").append(words.sentence(8)).append("</programlisting>\n</section>\n");
    }

    private void list() {
        text.append("<itemizedlist>\n");
        for (int i = 0; i < ROWS; i++) {
            text.append("<listitem>");
            element("para", 6);
            text.append("</listitem>\n");
        }
        text.append("</itemizedlist>\n");
    }

    private void table() {
        text.append("<informaltable><tgroup cols=\"3\"><tbody>\n");
        for (int i = 0; i < ROWS; i++) {
            text.append("<row>");
            for (int j = 0; j < 3; j++) {
                element("entry", 2);
            }
            text.append("</row>\n");
        }
        text.append("</tbody></tgroup></informaltable>\n");
    }
}
