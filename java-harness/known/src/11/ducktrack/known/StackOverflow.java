package ducktrack.known;

// PROGRAM tags=exceptions,overflow options=-Xss512k
// EXPECT
//   level   descend newarray int[] * bytes=24
//   caught  main    new java.lang.Object 200 bytes=16
// END
/**
 * StackOverflowError, 200 times: each level allocates and counts at once, and nothing between the two can fail. How deep the stack goes
 * differs from run to run; the program's own count is the expectation.
 */
final class StackOverflow {
    private static long levels;

    private static int descend(int i) {
        int[] level = new int[2]; // SITE level
        levels++;
        return descend(i + 1) + level.length;
    }

    public static void main(String[] words) throws Exception {
        long sum = 0;
        for (int i = 0; i < 200; i++) {
            try {
                sum += descend(i);
            } catch (StackOverflowError expected) {
                sum += new Object() == null ? 1 : 2; // SITE caught
            }
        }
        Known.of(StackOverflow.class).count("level", levels).count("caught", 200).done(sum);
    }
}
