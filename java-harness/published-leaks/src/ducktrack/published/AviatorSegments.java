package ducktrack.published;

import com.googlecode.aviator.AviatorEvaluator;
import com.googlecode.aviator.Expression;
import java.util.HashMap;
import java.util.Map;

/**
 * One compiled rule makes a text for each order. Aviator 5.1.0 keeps the segments of every text that an expression has made, not only those of its literals (aviatorscript issue 401).
 *
 * <p>KIND rules HALF held-out HEAP 96 LIBRARY aviator
 *
 * <p>CULPRIT com.googlecode.aviator.BaseExpression.stringSegs
 */
public final class AviatorSegments {
    private AviatorSegments() {}

    /** Takes no words. */
    public static void main(String[] words) {
        Expression rule = AviatorEvaluator.compile("name + ' has order #{id}'");
        long sum = 0;
        for (int order = 0; order < 40_000; order++) {
            Map<String, Object> env = new HashMap<>();
            env.put("id", order);
            env.put("name", "Customer " + order);
            sum += rule.execute(env).toString().length();
        }
        System.out.println(sum);
        System.exit(0);
    }
}
