package ducktrack.published;

import com.google.gson.Gson;
import com.google.gson.reflect.TypeToken;
import java.util.List;
import java.util.Map;

/**
 * Adapters are made and kept for each type that is asked for first; after that nothing is.
 *
 * <p>KIND warm-up HEAP 32 LIBRARY gson CONTROL
 */
public final class GsonWarmUp {
    private static final Gson GSON = new Gson();

    private GsonWarmUp() {}

    private record Order(String customer, int amount, List<String> lines) {}

    /** Takes no words. */
    public static void main(String[] words) throws Exception {
        TypeToken<Map<String, List<Order>>> type = new TypeToken<>() {};
        long sum = 0;
        for (int request = 0; request < 60_000; request++) {
            String text = "{\"open\":[{\"customer\":\"c" + request + "\",\"amount\":3,\"lines\":[\"a\",\"b\"]}]}";
            sum += GSON.toJson(GSON.fromJson(text, type)).length();
        }
        System.out.println(sum);
    }
}
