package ducktrack.known;

import java.lang.reflect.Array;

// PROGRAM
// EXPECT
//   ints    main array-reflection int[]    N bytes=40 via=java.lang.reflect.Array.newInstance
//   strings main array-reflection java.lang.String[] N via=java.lang.reflect.Array.newInstance
//   own     -    array-reflection Own[]    N
//   grid0   main array-reflection int[][]  N via=java.lang.reflect.Array.newInstance
//   grid1   main array-reflection int[]    2N bytes=32 via=java.lang.reflect.Array.newInstance
//   fails   main array-reflection Own[]    0 via=java.lang.reflect.Array.newInstance
// END
/** {@code Array.newInstance} in both forms, which C2 makes into plain allocations, and with a length it refuses. */
final class ArrayReflection {
    private static final class Own {}

    public static void main(String[] words) throws Exception {
        long sum = 0;
        long refused = 0;
        for (int i = 0; i < Known.N; i++) {
            sum += ((int[]) Array.newInstance(int.class, 5)).length; // SITE ints
            sum += Array.getLength(Array.newInstance(String.class, i % 10)); // SITE strings
            sum += ((Own[]) Array.newInstance(Own.class, 1)).length; // SITE own
            sum += Array.getLength(Array.newInstance(int.class, 2, 3)); // SITE grid0 grid1
            if (i % 100 == 0) {
                try {
                    sum += Array.getLength(Array.newInstance(Own.class, -1)); // SITE fails
                } catch (NegativeArraySizeException expected) {
                    refused++;
                }
            }
        }
        Known.of(ArrayReflection.class)
                .count("ints", Known.N).count("strings", Known.N).count("own", Known.N)
                .count("grid0", Known.N).count("grid1", 2 * Known.N).count("fails", 0)
                .done(sum + refused);
    }
}
