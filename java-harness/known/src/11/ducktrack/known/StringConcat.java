package ducktrack.known;

// PROGRAM
// EXPECT
//   number    main string-concat java.lang.String N
//   two       main string-concat java.lang.String N
//   one       main string-concat java.lang.String N
//   mixed     main string-concat java.lang.String N
//   plusEqual main string-concat java.lang.String 3N
//   constant  main string-concat java.lang.String 0
//   wide      main string-concat java.lang.String N/10
// END
/** String concatenation by {@code invokedynamic}: one String per execution at the call site (and its bytes inside the JDK). */
final class StringConcat {
    private static final String CONSTANT = "a" + "b";

    public static void main(String[] words) throws Exception {
        long sum = 0;
        long wide = 0;
        for (int i = 0; i < Known.N; i++) {
            String number = "i = " + i; // SITE number
            String left = (i & 1) == 0 ? "even" : "odd";
            String two = left + number; // SITE two
            String one = "" + left; // SITE one
            String mixed = left + i + 'c' + 2.5f + (i > 5) + 3L + null + words.length; // SITE mixed
            String grown = left;
            for (int j = 0; j < 3; j++) {
                grown += j; // SITE plusEqual
            }
            sum += CONSTANT.length() + ("c" + "d").length(); // SITE constant
            if (i % 10 == 0) {
                String w = "" + i + i + i + i + i + i + i + i + i + i + i + i + i + i + i + i + i + i + i + i; // SITE wide
                sum += w.length();
                wide++;
            }
            sum += number.length() + two.length() + one.length() + mixed.length() + grown.length();
        }
        Known.of(StringConcat.class)
                .count("number", Known.N).count("two", Known.N).count("one", Known.N).count("mixed", Known.N)
                .count("plusEqual", 3 * Known.N).count("constant", 0).count("wide", wide)
                .done(sum);
    }
}
