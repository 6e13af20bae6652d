package ducktrack.known;

// PROGRAM
// EXPECT
//   builder main new java.lang.StringBuilder N
//   grown   main new java.lang.StringBuilder 3N
//   text    main intrinsic|string-concat java.lang.String N  via=java.lang.StringBuilder.toString
//   texts   main intrinsic|string-concat java.lang.String 3N via=java.lang.StringBuilder.toString
// END
/** String concatenation as compilers made it before JDK 9: StringBuilder chains, which C2 rewrites. Compiled with -XDstringConcat=inline. */
final class InlineConcat {
    public static void main(String[] words) throws Exception {
        long sum = 0;
        for (int i = 0; i < Known.N; i++) {
            String text = "i = " + i + '.'; // SITE builder text
            for (int j = 0; j < 3; j++) {
                text += j; // SITE grown texts
            }
            sum += text.length();
        }
        Known.of(InlineConcat.class)
                .count("builder", Known.N).count("grown", 3 * Known.N).count("text", Known.N).count("texts", 3 * Known.N)
                .done(sum);
    }
}
