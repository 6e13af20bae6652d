package acme;

/** Makes known objects. */
final class Points {
    private static final Point[] KEPT = new Point[16];

    /** A point. */
    static final class Point {
        final int x;

        Point(int x) {
            this.x = x;
        }
    }

    private Points() {}

    static void make(int count) {
        for (int number = 0; number < count; number++) {
            KEPT[number % KEPT.length] = new Point(number);
        }
    }
}
