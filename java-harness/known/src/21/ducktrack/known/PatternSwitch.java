package ducktrack.known;

// PROGRAM
// EXPECT
//   circle   area  newarray int[]  N/5 bytes=24
//   square   area  newarray int[]  N/5 bytes=32
//   flat     area  newarray int[]  10_000 bytes=40
//   box      area  newarray int[]  10_000 bytes=48
//   deep     area  newarray int[]  N/5 bytes=56
//   none     area  newarray int[]  N/5 bytes=64
//   text     kind  newarray byte[] N/5 bytes=24
//   number   kind  newarray byte[] N/5 bytes=32
//   null     kind  newarray byte[] N/5 bytes=40
//   other    kind  newarray byte[] 40_000 bytes=48
//   enum     color newarray char[] N/2 bytes=24
//   enum2    color newarray char[] N/2 bytes=32
//   matched  main  newarray long[] N/2 bytes=24
// END
/** Pattern switches and record patterns: sealed types, guards, nested deconstruction, null, strings and numbers, enums. */
final class PatternSwitch {
    sealed interface Shape permits Circle, Square, Box, Group {}

    record Circle(int radius) implements Shape {}

    record Square(int side) implements Shape {}

    record Box(int width, int height) implements Shape {}

    record Group(Shape first, Shape second) implements Shape {}

    enum Color {
        RED,
        GREEN
    }

    private static int area(Shape shape) {
        return switch (shape) {
            case Circle(int radius) -> radius + new int[1].length; // SITE circle
            case Square square -> square.side() + new int[3].length; // SITE square
            case Box(int width, int height) when height == 0 -> width + new int[5].length; // SITE flat
            case Box box -> box.width() + new int[7].length; // SITE box
            case Group(Circle(var radius), Shape second) -> radius + new int[9].length; // SITE deep
            case Group group -> new int[11].length; // SITE none
        };
    }

    private static int kind(Object value) {
        return switch (value) {
            case null -> new byte[20].length; // SITE null
            case String text when text.length() > 1 -> new byte[1].length; // SITE text
            case Integer number -> number + new byte[12].length; // SITE number
            default -> new byte[30].length; // SITE other
        };
    }

    private static int color(Color color) {
        return switch (color) {
            case RED -> new char[2].length; // SITE enum
            case GREEN -> new char[6].length; // SITE enum2
        };
    }

    public static void main(String[] words) throws Exception {
        long sum = 0;
        Shape[] shapes = {
            new Circle(1), new Square(2), new Box(3, 0), new Group(new Circle(1), null), new Group(new Square(1), null),
            new Circle(2), new Square(3), new Box(4, 1), new Group(new Circle(2), null), new Group(null, null)
        };
        Object[] values = {"long", "s", 5, null, 'c'};
        for (int i = 0; i < Known.N; i++) {
            sum += area(shapes[i % 10]);
            sum += kind(values[i % 5]);
            sum += color(i % 2 == 0 ? Color.RED : Color.GREEN);
            Object value = i % 2 == 0 ? shapes[2] : shapes[0];
            if (value instanceof Box(int width, int height) && width > height) {
                sum += new long[1].length; // SITE matched
            }
        }
        Known known = Known.of(PatternSwitch.class).count("flat", Known.N / 10).count("box", Known.N / 10).count("other", Known.N / 5 * 2);
        for (String site : "circle square deep none text number null".split(" ")) {
            known.count(site, Known.N / 5);
        }
        for (String site : "enum enum2 matched".split(" ")) {
            known.count(site, Known.N / 2);
        }
        known.done(sum);
    }
}
