package ducktrack.published;

import freemarker.cache.StringTemplateLoader;
import freemarker.template.Configuration;
import java.io.StringWriter;
import java.util.Map;

/**
 * Pages from 300 templates of FreeMarker, which keeps them in its cache.
 *
 * <p>KIND template cache HEAP 48 LIBRARY freemarker CONTROL
 */
public final class FreemarkerTemplates {
    private FreemarkerTemplates() {}

    /** Takes no words. */
    public static void main(String[] words) throws Exception {
        StringTemplateLoader loader = new StringTemplateLoader();
        for (int template = 0; template < 300; template++) {
            loader.putTemplate("page-" + template, "<h1>${title}</h1><#list items as item><p>" + template + ": ${item}</p></#list>");
        }
        Configuration configuration = new Configuration(Configuration.VERSION_2_3_32);
        configuration.setTemplateLoader(loader);
        long length = 0;
        for (int request = 0; request < 30_000; request++) {
            StringWriter page = new StringWriter();
            Map<String, Object> model = Map.of("title", "request " + request, "items", new int[] {1, 2, 3});
            configuration.getTemplate("page-" + (request * 7) % 300).process(model, page);
            length += page.getBuffer().length();
        }
        System.out.println(length);
    }
}
