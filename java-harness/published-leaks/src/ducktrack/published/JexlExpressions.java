package ducktrack.published;

import org.apache.commons.jexl3.JexlBuilder;
import org.apache.commons.jexl3.JexlEngine;
import org.apache.commons.jexl3.MapContext;

/**
 * Rules of customers, compiled by JEXL with a cache of 256 expressions.
 *
 * <p>KIND expression cache HEAP 48 LIBRARY jexl CONTROL
 */
public final class JexlExpressions {
    private JexlExpressions() {}

    /** Takes no words. */
    public static void main(String[] words) throws Exception {
        JexlEngine engine = new JexlBuilder().cache(256).strict(true).create();
        long sum = 0;
        for (int rule = 0; rule < 20_000; rule++) {
            MapContext context = new MapContext();
            context.set("amount", rule);
            Object value = engine.createExpression("amount * 2 + " + rule % 5_000).evaluate(context);
            sum += ((Number) value).longValue();
        }
        System.out.println(sum);
    }
}
