package ducktrack.known;

// PROGRAM tags=paths,exceptions
// EXPECT
//   start   walk newarray int[]  N bytes=24
//   left    walk newarray int[]  * bytes=24
//   right   walk newarray int[]  * bytes=24
//   loop    walk newarray int[]  * bytes=24
//   thrown  walk new Stop        *
//   rare    walk newarray int[]  * bytes=24
//   caught  walk newarray int[]  * bytes=24
//   final   walk newarray int[]  * bytes=24
//   joined  walk newarray int[]  * bytes=24
//   callee  step newarray int[]  * bytes=24
//   escaped main newarray int[]  * bytes=24
// END
/** Random branches, loops, continues, and exceptions at random places; the program counts beside each allocation. */
final class RandomPaths {
    private static final class Stop extends RuntimeException {
        private static final long serialVersionUID = 1;

        Stop() {
            super(null, null, false, false);
        }
    }

    private static long seed = 42;
    private static final long[] COUNTS = new long[11];

    private static int random(int bound) {
        seed = seed * 6364136223846793005L + 1442695040888963407L;
        return (int) ((seed >>> 33) % bound);
    }

    private static int step() {
        int[] callee = new int[1]; // SITE callee
        COUNTS[9]++;
        if (random(25) == 0) {
            return callee[callee.length];
        }
        return callee.length;
    }

    private static int walk() {
        int sum = new int[1].length; // SITE start
        COUNTS[0]++;
        if (random(2) == 0) {
            sum += new int[2].length; // SITE left
            COUNTS[1]++;
            sum += random(3) == 0 ? step() : 1;
        } else {
            if (random(50) == 0) {
                return sum;
            }
            sum += new int[2].length; // SITE right
            COUNTS[2]++;
        }
        outer:
        for (int i = random(5); i > 0; i--) {
            try {
                for (int j = random(3); j >= 0; j--) {
                    sum += new int[1].length; // SITE loop
                    COUNTS[3]++;
                    switch (random(12)) {
                        case 0:
                            continue outer;
                        case 1:
                            break outer;
                        case 2:
                            Stop stop = new Stop(); // SITE thrown
                            COUNTS[4]++;
                            throw stop;
                        case 3:
                            sum += step();
                            break;
                        case 4:
                            if (random(3) == 0) {
                                sum += new int[2].length; // SITE rare
                                COUNTS[5]++;
                            }
                            break;
                        default:
                            break;
                    }
                }
            } catch (Stop stop) {
                sum += new int[2].length; // SITE caught
                COUNTS[6]++;
                if (random(4) == 0) {
                    throw stop;
                }
            } finally {
                sum += new int[1].length; // SITE final
                COUNTS[7]++;
                if (random(60) == 0) {
                    sum += step();
                }
            }
        }
        sum += new int[1].length; // SITE joined
        COUNTS[8]++;
        return sum;
    }

    public static void main(String[] words) throws Exception {
        long sum = 0;
        for (int i = 0; i < Known.N; i++) {
            try {
                sum += walk();
            } catch (Stop | ArrayIndexOutOfBoundsException expected) {
                sum += new int[2].length; // SITE escaped
                COUNTS[10]++;
            }
        }
        Known known = Known.of(RandomPaths.class);
        String[] sites = "start left right loop thrown rare caught final joined callee escaped".split(" ");
        for (int i = 0; i < sites.length; i++) {
            known.count(sites[i], COUNTS[i]);
        }
        known.done(sum);
    }
}
