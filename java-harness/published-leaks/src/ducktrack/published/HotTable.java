package ducktrack.published;

import java.util.HashMap;
import java.util.Map;

/**
 * A table of counts that grows with what is read, is used all the time, and is emptied at the end of each of the days.
 *
 * <p>KIND hot table, used and emptied HEAP 64 CONTROL
 */
public final class HotTable {
    private static final Map<String, int[]> COUNTS = new HashMap<>();

    private HotTable() {}

    /** Takes no words. */
    public static void main(String[] words) throws Exception {
        long sum = 0;
        for (int request = 0; request < 1_300_000; request++) {
            if (request % 130_001 == 130_000) {
                COUNTS.clear();
            }
            COUNTS.computeIfAbsent("word " + request % 90_000, word -> new int[10])[0]++;
            sum += COUNTS.size();
        }
        System.out.println(sum);
    }
}
