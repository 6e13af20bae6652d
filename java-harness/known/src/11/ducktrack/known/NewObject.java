package ducktrack.known;

// PROGRAM
// EXPECT
//   point      main          new  Point    N    bytes=24
//   third      main          new  Point    33_334 bytes=24
//   empty      main          new  java.lang.Object 3N bytes=16
//   unused     main          new  Point    N    bytes=24
//   inner      main          new  Inner    N
//   anonymous  main          new  1        N
//   initial    Late.<clinit> new  Point    1    bytes=24
//   field      Late.<init>   new  Point    N    bytes=24
//   late       main          new  Late     N
//   factory    create        new  Point    2N   bytes=24
// END
/** {@code new}: plain, on a branch, in a nested loop, unused, of inner and anonymous classes, in initializers, in a shared factory. */
final class NewObject {
    private static final class Point {
        final int x;
        final int y;

        Point(int x, int y) {
            this.x = x;
            this.y = y;
        }
    }

    private final class Inner {
        int outer() {
            return NewObject.this.hashCode();
        }
    }

    private static final class Late {
        static final Point FIRST = new Point(1, 2); // SITE initial
        final Point point = new Point(3, 4); // SITE field
    }

    private static Point create(int i) {
        return new Point(i, i); // SITE factory
    }

    public static void main(String[] words) throws Exception {
        NewObject outer = new NewObject();
        long sum = 0;
        long third = 0;
        long empty = 0;
        for (int i = 0; i < Known.N; i++) {
            Point point = new Point(i, 1); // SITE point
            sum += point.x + point.y;
            if (i % 3 == 0) {
                sum += new Point(i, 2).x; // SITE third
                third++;
            }
            for (int j = 0; j < 3; j++) {
                sum += new Object() == null ? 1 : 0; // SITE empty
                empty++;
            }
            new Point(i, i); // SITE unused
            sum += outer.new Inner() == null ? 1 : 0; // SITE inner
            Runnable anonymous = new Runnable() { // SITE anonymous
                @Override
                public void run() {
                    throw new IllegalStateException();
                }
            };
            sum += anonymous == null ? 1 : 0;
            sum += new Late().point.x; // SITE late
            sum += create(i).x + create(-i).x;
        }
        Known.of(NewObject.class)
                .count("point", Known.N).count("third", third).count("empty", empty).count("unused", Known.N)
                .count("inner", Known.N).count("anonymous", Known.N).count("initial", 1).count("field", Known.N)
                .count("late", Known.N).count("factory", 2 * Known.N)
                .done(sum);
    }
}
