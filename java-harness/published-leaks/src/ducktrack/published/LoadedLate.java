package ducktrack.published;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntSupplier;

/**
 * A table is loaded in the middle of the run, in one step, and kept; before and after that there is only work.
 *
 * <p>KIND one step HEAP 64 CONTROL
 */
public final class LoadedLate {
    private static final List<IntSupplier> TABLE = new ArrayList<>();

    private LoadedLate() {}

    /** Takes no words. */
    public static void main(String[] words) throws Exception {
        long sum = 0;
        for (int request = 0; request < 400_000; request++) {
            if (request == 200_000) {
                for (int row = 0; row < 60_000; row++) {
                    int[] values = new int[50];
                    TABLE.add(() -> values.length);
                }
            }
            sum += new byte[1_500].length;
        }
        System.out.println(sum + TABLE.size());
    }
}
