package ducktrack.published;

import com.github.mustachejava.DefaultMustacheFactory;
import com.github.mustachejava.Mustache;
import java.io.StringReader;
import java.io.StringWriter;
import java.util.Map;

/**
 * Pages whose templates are generated for each request. The factory keeps every template by its name (mustache.java issue 117, wcomponents issue 1290). The control has a factory for each
 * request, as they do now.
 *
 * <p>KIND templates that are generated HALF held-out HEAP 96 LIBRARY mustache
 *
 * <p>CULPRIT com.github.mustachejava.DefaultMustacheFactory.
 */
public final class MustacheNames {
    private static final boolean IS_REPAIRED = Boolean.getBoolean("ducktrack.leaks.repaired");

    private MustacheNames() {}

    private static DefaultMustacheFactory factory() {
        return new DefaultMustacheFactory(StringReader::new);
    }

    /** Takes no words. */
    public static void main(String[] words) {
        DefaultMustacheFactory one = factory();
        long sum = 0;
        for (int request = 0; request < 6_000; request++) {
            DefaultMustacheFactory factory = IS_REPAIRED ? factory() : one;
            String text = "<p id=" + request + ">{{name}} has {{count}} orders</p>";
            Mustache page = factory.compile(text);
            StringWriter out = new StringWriter();
            page.execute(out, Map.of("name", "Ann", "count", request));
            sum += out.toString().length();
        }
        System.out.println(sum);
        System.exit(0);
    }
}
