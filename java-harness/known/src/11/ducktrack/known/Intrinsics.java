package ducktrack.known;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

// PROGRAM tags=hot
// EXPECT
//   copyInts     main intrinsic int[]              2_000_000 bytes=40 via=java.util.Arrays.copyOf
//   copyObjects  main intrinsic java.lang.String[] 2_000_000 via=java.util.Arrays.copyOf
//   copyTyped    main intrinsic java.lang.Object[] 2_000_000 via=java.util.Arrays.copyOf
//   range        main intrinsic byte[]             2_000_000 via=java.util.Arrays.copyOfRange
//   rangeObjects main intrinsic java.lang.String[] 2_000_000 via=java.util.Arrays.copyOfRange
//   clone        main clone     int[]              2_000_000 bytes=32
//   substring    main intrinsic java.lang.String   2_000_000 via=java.lang.String.substring
//   toChars      main intrinsic char[]             2_000_000 bytes=32 via=java.lang.String.toCharArray
//   bytes        main intrinsic byte[]             2_000_000 bytes=24 via=java.lang.String.getBytes
//   valueOf      main intrinsic java.lang.String   2_000_000 via=java.lang.String.valueOf
//   builder      main new       java.lang.StringBuilder 2_000_000
//   built        main intrinsic|string-concat java.lang.String 2_000_000 via=java.lang.StringBuilder.toString
//   boxed        main boxing    java.lang.Integer  2_000_000 bytes=16 via=java.lang.Integer.valueOf
//   fromChars    main new       java.lang.String   2_000_000
//   repeat       main intrinsic java.lang.String   2_000_000 via=java.lang.String.repeat
// END
/** Methods of the JDK that C2 replaces by its own code, two million times each, so that it does. */
final class Intrinsics {
    private static final int ROUNDS = 2_000_000;

    public static void main(String[] words) throws Exception {
        long sum = 0;
        int[] ints = {1, 2, 3, 4};
        String[] strings = {"a", "b", "c"};
        byte[] bytes = new byte[20];
        char[] chars = {'x', 'y', 'z'};
        String text = "abcdefgh";
        for (int i = 0; i < ROUNDS; i++) {
            sum += Arrays.copyOf(ints, 6)[i & 3]; // SITE copyInts
            sum += Arrays.copyOf(strings, 2 + (i & 1)).length; // SITE copyObjects
            sum += Arrays.copyOf(strings, 3, Object[].class).length; // SITE copyTyped
            sum += Arrays.copyOfRange(bytes, i % 10, 15).length; // SITE range
            sum += Arrays.copyOfRange(strings, 1, 3).length; // SITE rangeObjects
            sum += ints.clone()[i & 3]; // SITE clone
            sum += text.substring(1, 3 + (i & 3)).length(); // SITE substring
            sum += text.toCharArray().length; // SITE toChars
            sum += text.getBytes(StandardCharsets.ISO_8859_1).length; // SITE bytes
            sum += String.valueOf(i).length(); // SITE valueOf
            StringBuilder builder = new StringBuilder(); // SITE builder
            String built = builder.append(text).append(i).toString(); // SITE built
            sum += built.length();
            Integer boxed = i + 1000; // SITE boxed
            sum += boxed;
            sum += new String(chars).length(); // SITE fromChars
            sum += "ab".repeat(2 + (i & 1)).length(); // SITE repeat
        }
        Known known = Known.of(Intrinsics.class);
        for (String site : ("copyInts copyObjects copyTyped range rangeObjects clone substring toChars bytes valueOf builder built boxed"
                + " fromChars repeat").split(" ")) {
            known.count(site, ROUNDS);
        }
        known.done(sum);
    }
}
