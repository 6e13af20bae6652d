package ducktrack.known;

// PROGRAM
// EXPECT
//   booleans     main newarray boolean[] N bytes=24
//   bytes        main newarray byte[]    N bytes=24
//   chars        main newarray char[]    N bytes=24
//   shorts       main newarray short[]   N bytes=24
//   ints         main newarray int[]     N bytes=32
//   longs        main newarray long[]    N bytes=40
//   floats       main newarray float[]   N bytes=32
//   doubles      main newarray double[]  N bytes=40
//   strings      main newarray java.lang.String[] N
//   none         main newarray int[]     N bytes=16
//   initialized  main newarray int[]     N bytes=32
//   nested       main newarray int[][]   N
//   computed     main newarray byte[]    N
//   computedRefs main newarray java.lang.Object[] N
//   large        main newarray byte[]    100 bytes=2000016
// END
/** {@code newarray} and {@code anewarray}: all element types, length constant, computed, zero, and large; initializers. */
final class NewArray {
    /** Bytes of all arrays of computed length, as laid out with a 16-byte array header; printed for the tests. */
    private static long computedBytes;

    public static void main(String[] words) throws Exception {
        long sum = 0;
        int[] element = new int[0];
        for (int i = 0; i < Known.N; i++) {
            sum += new boolean[3].length; // SITE booleans
            sum += new byte[3].length; // SITE bytes
            sum += new char[3].length; // SITE chars
            sum += new short[3].length; // SITE shorts
            sum += new int[3].length; // SITE ints
            sum += new long[3].length; // SITE longs
            sum += new float[3].length; // SITE floats
            sum += new double[3].length; // SITE doubles
            sum += new String[3].length; // SITE strings
            sum += new int[0].length; // SITE none
            int[] initialized = {i, i + 1, i + 2}; // SITE initialized
            sum += initialized[i % 3];
            int[][] nested = {element, initialized}; // SITE nested
            sum += nested.length;
            byte[] computed = new byte[i % 100]; // SITE computed
            sum += computed.length;
            computedBytes += (16 + computed.length + 7) / 8 * 8;
            sum += new Object[i % 50].length; // SITE computedRefs
        }
        for (int i = 0; i < 100; i++) {
            sum += new byte[2_000_000].length; // SITE large
        }
        Known known = Known.of(NewArray.class);
        for (String site : new String[] {"booleans", "bytes", "chars", "shorts", "ints", "longs", "floats", "doubles", "strings", "none",
            "initialized", "nested", "computed", "computedRefs"}) {
            known.count(site, Known.N);
        }
        known.count("large", 100);
        System.out.println("BYTES computed " + computedBytes);
        known.done(sum);
    }
}
