package ducktrack.known;

// PROGRAM
// EXPECT
//   three   main newarray|varargs int[] N bytes=32
//   none    main newarray|varargs int[] N bytes=16
//   objects main newarray|varargs java.lang.Object[] N
//   generic main newarray|varargs java.lang.String[] N
//   passed  main newarray int[] 1 bytes=24
// END
/**
 * Varargs: an array per call made by the caller, also for none; an array passed as such makes no other.
 *
 * The kind is newarray: {@code ints(1, 2)} and {@code ints(new int[] {1, 2})} are the same bytecode, whatever flags the called method has.
 */
final class Varargs {
    private static int ints(int... values) {
        return values.length;
    }

    private static int objects(Object... values) {
        return values.length;
    }

    @SafeVarargs
    private static <T> int generic(T... values) {
        return values.length;
    }

    public static void main(String[] words) throws Exception {
        long sum = 0;
        int[] passed = {1, 2}; // SITE passed
        for (int i = 0; i < Known.N; i++) {
            sum += ints(i, 2, 3); // SITE three
            sum += ints(); // SITE none
            sum += objects("a", passed); // SITE objects
            sum += generic("a", "b"); // SITE generic
            sum += ints(passed);
        }
        Known.of(Varargs.class)
                .count("three", Known.N).count("none", Known.N).count("objects", Known.N).count("generic", Known.N).count("passed", 1)
                .done(sum);
    }
}
