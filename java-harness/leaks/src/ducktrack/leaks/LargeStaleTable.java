package ducktrack.leaks;

import java.util.HashMap;
import java.util.Map;

/**
 * A large table that is filled at the start and hardly ever looked at: no leak, it does not grow.
 *
 * <p>CONTROL
 */
public final class LargeStaleTable {
    private static final Map<Integer, Rate> RATES = new HashMap<>();
    private static final int ENTRIES = 5000;

    private LargeStaleTable() {}

    private record Rate(int number, byte[] text) {}

    /** Takes no words. */
    public static void main(String[] words) throws Exception {
        for (int number = 0; number < ENTRIES; number++) {
            RATES.put(number, new Rate(number, new byte[1500]));
        }
        Work.steps(number -> new byte[100].clone());
    }
}
