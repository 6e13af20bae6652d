package ducktrack.known;

// PROGRAM
// EXPECT
//   grid0     main multianewarray int[][]        N
//   grid1     main multianewarray int[]          3N  bytes=32
//   cube0     main multianewarray long[][][]     N
//   cube1     main multianewarray long[][]       2N
//   cube2     main multianewarray long[]         6N  bytes=48
//   open0     main multianewarray int[][][]      N
//   open1     main multianewarray int[][]        3N
//   empty0    main multianewarray int[][]        N   bytes=16
//   computed0 main multianewarray short[][]      N
//   computed1 main multianewarray short[]        15N/10
//   names0    main multianewarray java.lang.String[][] N
//   names1    main multianewarray java.lang.String[] 2N
// END
/** {@code multianewarray}: every level of two and three dimensions, dimensions left open, of length zero, and computed. */
final class MultiArray {
    public static void main(String[] words) throws Exception {
        long sum = 0;
        long rows = 0;
        for (int i = 0; i < Known.N; i++) {
            sum += new int[3][4].length; // SITE grid0 grid1
            sum += new long[2][3][4].length; // SITE cube0 cube1 cube2
            sum += new int[3][4][].length; // SITE open0 open1
            sum += new int[0][5].length; // SITE empty0
            int height = i % 4;
            sum += new short[height][i % 3].length; // SITE computed0 computed1
            rows += height;
            sum += new String[2][2].length; // SITE names0 names1
        }
        Known.of(MultiArray.class)
                .count("grid0", Known.N).count("grid1", 3 * Known.N)
                .count("cube0", Known.N).count("cube1", 2 * Known.N).count("cube2", 6 * Known.N)
                .count("open0", Known.N).count("open1", 3 * Known.N)
                .count("empty0", Known.N)
                .count("computed0", Known.N).count("computed1", rows)
                .count("names0", Known.N).count("names1", 2 * Known.N)
                .done(sum);
    }
}
