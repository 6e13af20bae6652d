package ducktrack.published;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.schibsted.spt.data.jslt.Expression;
import com.schibsted.spt.data.jslt.Parser;

/**
 * The text of an expression is made for each message. JSLT 0.1.1 keeps each regular expression that was ever used (jslt issue 11); 0.1.8 keeps so many at most.
 *
 * <p>KIND cache keyed by text HALF build HEAP 48 LIBRARY jslt
 *
 * <p>CULPRIT com.schibsted.spt.data.jslt.impl.BuiltinFunctions$Capture.
 */
public final class JsltCaptures {
    private JsltCaptures() {}

    /** Takes no words. */
    public static void main(String[] words) throws Exception {
        JsonNode message = new ObjectMapper().readTree("\"order 17 of customer 4\"");
        for (int number = 0; number < 15_000; number++) {
            Expression expression = Parser.compileString("capture(., \"(?<order>\\\\d+) of customer (?<customer>\\\\d+)|" + number + "\")");
            expression.apply(message);
        }
    }
}
