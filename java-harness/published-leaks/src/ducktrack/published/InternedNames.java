package ducktrack.published;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * Names are interned, of which there are ten thousand.
 *
 * <p>KIND interned strings up to a bound HEAP 48 CONTROL
 */
public final class InternedNames {
    private static final ConcurrentMap<String, String> NAMES = new ConcurrentHashMap<>();

    private InternedNames() {}

    /** Takes no words. */
    public static void main(String[] words) throws Exception {
        long sum = 0;
        for (int request = 0; request < 1_500_000; request++) {
            String name = "customer " + Math.abs(request * 2_654_435_761L) % 10_000;
            NAMES.putIfAbsent(name, name);
            sum += NAMES.get(name).length() + name.intern().length();
        }
        System.out.println(sum);
    }
}
