package ducktrack.known;

// PROGRAM tags=exceptions options=-Xmx64m
// EXPECT
//   before   main newarray int[]   2_000 bytes=24
//   tooLong  main newarray long[]  0
//   rows     main multianewarray int[][] 0
//   never    main new java.lang.Object 0
//   caught   main new java.lang.Object 2_000 bytes=16
//   caughtRows main new java.lang.Object 2_000 bytes=16
//   negative size newarray byte[]  N/2 bytes=24
//   refused  main newarray short[] N/2 bytes=24
// END
/** Allocations that fail make nothing: OutOfMemoryError for length and for space, NegativeArraySizeException. */
final class OutOfMemory {
    private static final int ROUNDS = 2_000;

    private static byte[] size(int i) {
        return new byte[(i & 1) == 0 ? 5 : -1]; // SITE negative
    }

    public static void main(String[] words) throws Exception {
        long sum = 0;
        long caught = 0;
        long caughtRows = 0;
        for (int i = 0; i < ROUNDS; i++) {
            int[] before = new int[2]; // SITE before
            try {
                sum += new long[Integer.MAX_VALUE - (i & 1)].length + before.length; // SITE tooLong
                sum += new Object() == null ? 1 : 0; // SITE never
            } catch (OutOfMemoryError expected) {
                sum += new Object() == null ? 1 : 2; // SITE caught
                caught++;
            }
            try {
                sum += new int[Integer.MAX_VALUE][0].length; // SITE rows
            } catch (OutOfMemoryError expected) {
                sum += new Object() == null ? 1 : 2; // SITE caughtRows
                caughtRows++;
            }
        }
        for (int i = 0; i < Known.N; i++) {
            try {
                sum += size(i).length;
            } catch (NegativeArraySizeException expected) {
                sum += new short[2].length; // SITE refused
            }
        }
        Known.of(OutOfMemory.class)
                .count("before", ROUNDS).count("tooLong", 0).count("rows", 0).count("never", 0)
                .count("caught", caught).count("caughtRows", caughtRows).count("negative", Known.N / 2).count("refused", Known.N / 2)
                .done(sum);
    }
}
