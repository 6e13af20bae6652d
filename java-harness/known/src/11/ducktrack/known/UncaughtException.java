package ducktrack.known;

// PROGRAM tags=exit,exceptions,status1
// EXPECT
//   before main newarray int[]  N bytes=24
//   thrown main new Unexpected  1
// END
/** Ends with an uncaught exception (exit status 1, as it should be): the counts before it are complete. */
final class UncaughtException {
    private static final class Unexpected extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    public static void main(String[] words) throws Exception {
        long sum = 0;
        for (int i = 0; i < Known.N; i++) {
            sum += new int[2].length; // SITE before
        }
        Known.of(UncaughtException.class).count("before", Known.N).count("thrown", 1).done(sum);
        throw new Unexpected(); // SITE thrown
    }
}
