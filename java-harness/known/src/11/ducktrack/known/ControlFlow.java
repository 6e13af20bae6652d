package ducktrack.known;

// PROGRAM tags=paths
// EXPECT
//   hot     loops newarray int[]   9N   bytes=24
//   cold    loops newarray int[]   N    bytes=32
//   row     loops newarray int[]   N    bytes=40
//   doWhile loops newarray byte[]  2N   bytes=24
//   early   loops newarray byte[]  N/1000 bytes=32
//   shift   shifting newarray long[]  N/2  bytes=24
//   shifted shifting newarray long[]  N/2  bytes=32
//   even    mutual  newarray char[]  5N  bytes=24
//   odd     mutual  newarray char[]  5N  bytes=32
//   direct  viaInterface newarray short[] N bytes=24
//   default Shape.area newarray short[] N bytes=32
//   forever endless newarray float[] N bytes=24
// END
/** Nested loops left early, do-while, a hot path that shifts half-way, recursion, default methods, a loop without a condition. */
final class ControlFlow {
    private interface Shape {
        default int area() {
            return new short[5].length; // SITE default
        }
    }

    private static int loops(int i) {
        int sum = 0;
        search:
        for (int row = 0; row < 10; row++) {
            for (int column = 0; column < 10; column++) {
                if (column == 1) {
                    continue search;
                }
                if (row == 9) {
                    sum += new int[3].length; // SITE cold
                    break search;
                }
                sum += new int[2].length; // SITE hot
            }
        }
        sum += new int[6].length; // SITE row
        int left = 2;
        do {
            sum += new byte[1].length; // SITE doWhile
            if (i % 1000 == 999 && left == 1) {
                return sum + new byte[9].length; // SITE early
            }
        } while (--left > 0);
        return sum;
    }

    private static int shifting(int i) {
        return i < Known.N / 2 ? new long[1].length : new long[2].length; // SITE shift shifted
    }

    private static int mutual(int depth) {
        if (depth == 0) {
            return 0;
        }
        if (depth % 2 == 0) {
            return new char[1].length + mutual(depth - 1); // SITE even
        }
        return new char[8].length + mutual(depth - 1); // SITE odd
    }

    private static int viaInterface(Shape shape) {
        return new short[1].length + shape.area(); // SITE direct
    }

    private static int endless(int from) {
        int i = from;
        while (true) {
            if (i % 7 == 0) {
                return new float[2].length; // SITE forever
            }
            i++;
        }
    }

    public static void main(String[] words) throws Exception {
        long sum = 0;
        Shape shape = new Shape() {};
        for (int i = 0; i < Known.N; i++) {
            sum += loops(i) + shifting(i) + mutual(10) + viaInterface(shape) + endless(i);
        }
        Known.of(ControlFlow.class)
                .count("hot", 9 * Known.N).count("cold", Known.N).count("row", Known.N).count("doWhile", 2 * Known.N)
                .count("early", Known.N / 1000).count("shift", Known.N / 2).count("shifted", Known.N / 2)
                .count("even", 5 * Known.N).count("odd", 5 * Known.N).count("direct", Known.N).count("default", Known.N)
                .count("forever", Known.N)
                .done(sum);
    }
}
