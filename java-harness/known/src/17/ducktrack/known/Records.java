package ducktrack.known;

import java.util.HashSet;
import java.util.Set;

// PROGRAM
// EXPECT
//   record    main            new Pair        N
//   generic   main            new Boxed       N
//   compact   Range.<init>    newarray int[]  N bytes=24
//   range     main            new Range       N
//   text      Pair.toString   string-concat|new|other java.lang.String N atleast
//   found     main            new Pair        N
//   set       main            new Pair        1
// END
/** Records: canonical and compact constructors; equals and hashCode, which allocate nothing; toString, which makes
 * at least one String (its parts are the JDK's business). */
final class Records {
    record Pair(int left, int right) {} // SITE text

    record Boxed<T>(T value) {}

    record Range(int low, int high) {
        Range {
            if (new int[] {low, high}.length == 0) { // SITE compact
                throw new IllegalArgumentException();
            }
        }
    }

    public static void main(String[] words) throws Exception {
        long sum = 0;
        Set<Pair> set = new HashSet<>();
        set.add(new Pair(3, 4)); // SITE set
        for (int i = 0; i < Known.N; i++) {
            Pair pair = new Pair(i, i + 1); // SITE record
            Boxed<String> boxed = new Boxed<>("x"); // SITE generic
            sum += pair.left() + pair.right() + boxed.value().length();
            sum += new Range(i, i).high(); // SITE range
            sum += pair.toString().length();
            sum += set.contains(new Pair(i & 3, 4)) ? 1 : 0; // SITE found
        }
        Known known = Known.of(Records.class).count("set", 1);
        for (String site : "record generic compact range text found".split(" ")) {
            known.count(site, Known.N);
        }
        known.done(sum);
    }
}
