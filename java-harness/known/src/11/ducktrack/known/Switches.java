package ducktrack.known;

// PROGRAM tags=paths
// EXPECT
//   one      strings newarray int[]  20_000 bytes=24
//   collide  strings newarray int[]  40_000 bytes=24
//   other    strings newarray int[]  40_000 bytes=32
//   dense0   dense   new Object0     10_000
//   dense1   dense   new Object1     20_000
//   dense3   dense   new Object3     30_000
//   denseAny dense   new Object0     50_000
//   sparse   sparse  newarray long[] 20_000 bytes=24
//   huge     sparse  newarray long[] 10_000 bytes=32
//   none     sparse  newarray long[] 70_000 bytes=16
//   ternary  choose  newarray char[] 50_000 bytes=24
//   ternary2 choose  newarray byte[] 50_000 bytes=24
//   both     choose  newarray short[] 25_000 bytes=24
// END
/** Switches on strings (with colliding hashes), dense and sparse numbers, fall-through; conditional and short-circuit expressions. */
final class Switches {
    private static final class Object0 {}

    private static final class Object1 {}

    private static final class Object3 {}

    /** "Aa" and "BB" have the same hash code. */
    private static int strings(String word) {
        switch (word) {
            case "one":
                return new int[1].length; // SITE one
            case "Aa":
            case "BB":
                return new int[2].length; // SITE collide
            default:
                return new int[3].length; // SITE other
        }
    }

    /** Case 0 falls into 1, 1 into 3: counts add up. */
    private static Object dense(int value) {
        Object result = null;
        switch (value) {
            case 0:
                result = new Object0(); // SITE dense0
                // falls through
            case 1:
                result = new Object1(); // SITE dense1
                // falls through
            case 3:
                return result == null ? new Object3() : new Object3(); // SITE dense3
            case 5:
                return null;
            case 2:
            case 4:
                break;
            default:
                break;
        }
        return value > 8 ? null : new Object0(); // SITE denseAny
    }

    private static int sparse(int value) {
        switch (value) {
            case -1_000_000:
            case 7:
                return new long[1].length; // SITE sparse
            case Integer.MAX_VALUE:
                return new long[2].length; // SITE huge
            default:
                return new long[0].length; // SITE none
        }
    }

    private static int choose(int i) {
        int length = (i & 1) == 0 ? new char[3].length : 0; // SITE ternary
        length += (i & 1) != 0 ? new byte[3].length : 0; // SITE ternary2
        if ((i & 1) == 0 && (i & 2) == 0 && new short[2].length > 0) { // SITE both
            length++;
        }
        return length;
    }

    public static void main(String[] words) throws Exception {
        long sum = 0;
        String[] names = {"one", "Aa", "BB", "two", "C#"};
        int[] keys = {-1_000_000, 7, Integer.MAX_VALUE, 0, 1, 2, 3, 4, 5, 6};
        for (int i = 0; i < Known.N; i++) {
            sum += strings(names[i % 5]);
            sum += dense(i % 10) == null ? 0 : 1;
            sum += sparse(keys[i % 10]);
            sum += choose(i);
        }
        Known.of(Switches.class)
                .count("one", 20_000).count("collide", 40_000).count("other", 40_000)
                .count("dense0", 10_000).count("dense1", 20_000).count("dense3", 30_000).count("denseAny", 50_000)
                .count("sparse", 20_000).count("huge", 10_000).count("none", 70_000)
                .count("ternary", 50_000).count("ternary2", 50_000).count("both", 25_000)
                .done(sum);
    }
}
