package ducktrack.known;

// PROGRAM tags=exit
// EXPECT
//   before  work   newarray int[]  N  bytes=24
//   last    finish newarray int[]  1  bytes=32
//   earlier finish newarray byte[] 1  bytes=24
//   hook    hook   newarray long[] 1  bytes=24
// END
/**
 * {@code System.exit} in the middle of methods that have allocated and not yet come to their end, and a shutdown hook that allocates: all
 * of it was executed.
 */
final class ExitInTheMiddle {
    private static int work(int i) {
        return new int[1].length + i; // SITE before
    }

    private static void finish(Known known, long sum) {
        int kept = new int[3].length; // SITE last
        if (sum != 0) {
            kept += new byte[1].length; // SITE earlier
            known.done(sum);
            System.exit(0);
        }
        throw new IllegalStateException("not reached " + kept);
    }

    private static void hook() {
        if (new long[1].length != 1) { // SITE hook
            throw new IllegalStateException();
        }
    }

    public static void main(String[] words) throws Exception {
        long sum = 0;
        for (int i = 0; i < Known.N; i++) {
            sum += work(i);
        }
        Runtime.getRuntime().addShutdownHook(new Thread(ExitInTheMiddle::hook));
        finish(Known.of(ExitInTheMiddle.class).count("before", Known.N).count("last", 1).count("earlier", 1).count("hook", 1), sum);
    }
}
