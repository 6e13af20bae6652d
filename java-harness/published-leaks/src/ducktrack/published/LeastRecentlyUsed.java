package ducktrack.published;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A cache that fills for the first third of the run, and then replaces.
 *
 * <p>KIND cache that fills, then replaces HEAP 64 CONTROL
 */
public final class LeastRecentlyUsed {
    private static final Map<Integer, byte[]> PAGES = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Integer, byte[]> eldest) {
            return size() > 20_000;
        }
    };

    private LeastRecentlyUsed() {}

    /** Takes no words. */
    public static void main(String[] words) throws Exception {
        long sum = 0;
        for (int request = 0; request < 240_000; request++) {
            PAGES.put(request / 4, new byte[1_000]);
            sum += PAGES.get(request / 4).length + new byte[2_000].length;
        }
        System.out.println(sum);
    }
}
