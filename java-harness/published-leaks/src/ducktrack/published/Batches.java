package ducktrack.published;

import java.util.ArrayList;
import java.util.List;

/**
 * Batches that become larger until the middle of the run, and then smaller; each is dropped before the next.
 *
 * <p>KIND batch work, growing then shrinking HEAP 96 CONTROL
 */
public final class Batches {
    private static List<long[]> batch = new ArrayList<>();

    private Batches() {}

    /** Takes no words. */
    public static void main(String[] words) throws Exception {
        long sum = 0;
        for (int number = 0; number < 60; number++) {
            batch = new ArrayList<>();
            int size = 1_000 + 1_500 * Math.min(number, 60 - number);
            for (int row = 0; row < size; row++) {
                batch.add(new long[80]);
                sum += new long[60].length;
            }
            sum += batch.size();
        }
        batch = null;
        System.out.println(sum);
    }
}
