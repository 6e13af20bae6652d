package ducktrack.known;

// PROGRAM
// EXPECT
//   ints     main clone int[]    N bytes=56
//   bytes    main clone byte[]   N
//   strings  main clone java.lang.String[] N
//   shallow  main clone int[][]  N
//   subtype  main clone java.lang.Integer[] N bytes=24
//   nested   main clone java.lang.String[][] N bytes=24
//   unknown  copy clone int[]    N bytes=56
//   unknown2 copy clone long[]   N bytes=96
// END
/** {@code clone} of arrays: known and computed lengths, references, the outer level only of two; static types that say less. */
final class CloneArray {
    private static Object copy(Object array) {
        return array instanceof int[] ? ((int[]) array).clone() : ((long[]) array).clone(); // SITE unknown unknown2
    }

    public static void main(String[] words) throws Exception {
        long sum = 0;
        int[] ints = new int[10];
        byte[][] bytes = {new byte[5], new byte[50]};
        String[] strings = {"a", "b"};
        int[][] grid = new int[3][4];
        long[] longs = new long[10];
        Number[] numbers = new Integer[2];
        Object[][] table = new String[2][3];
        for (int i = 0; i < Known.N; i++) {
            sum += ints.clone().length; // SITE ints
            sum += bytes[i & 1].clone().length; // SITE bytes
            sum += strings.clone().length; // SITE strings
            sum += grid.clone().length; // SITE shallow
            sum += numbers.clone().length; // SITE subtype
            sum += table.clone().length; // SITE nested
            sum += copy(ints) == null ? 1 : 0;
            sum += copy(longs) == null ? 1 : 0;
        }
        Known known = Known.of(CloneArray.class);
        for (String site : "ints bytes strings shallow subtype nested unknown unknown2".split(" ")) {
            known.count(site, Known.N);
        }
        known.done(sum);
    }
}
