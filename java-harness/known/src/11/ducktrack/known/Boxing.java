package ducktrack.known;

import java.util.ArrayList;
import java.util.List;

// PROGRAM
// EXPECT
//   integerOut main boxing java.lang.Integer   N bytes=16 via=java.lang.Integer.valueOf
//   integerIn  main boxing java.lang.Integer   0 via=java.lang.Integer.valueOf
//   integerMix main boxing java.lang.Integer   99_872 bytes=16 via=java.lang.Integer.valueOf
//   longOut    main boxing java.lang.Long      N bytes=24 via=java.lang.Long.valueOf
//   longIn     main boxing java.lang.Long      0 via=java.lang.Long.valueOf
//   shortOut   main boxing java.lang.Short     N bytes=16 via=java.lang.Short.valueOf
//   shortIn    main boxing java.lang.Short     0 via=java.lang.Short.valueOf
//   charOut    main boxing java.lang.Character N bytes=16 via=java.lang.Character.valueOf
//   charIn     main boxing java.lang.Character 0 via=java.lang.Character.valueOf
//   byte       main boxing java.lang.Byte      0 via=java.lang.Byte.valueOf
//   boolean    main boxing java.lang.Boolean   0 via=java.lang.Boolean.valueOf
//   float      main boxing java.lang.Float     N bytes=16 via=java.lang.Float.valueOf
//   double     main boxing java.lang.Double    N bytes=24 via=java.lang.Double.valueOf
//   explicit   main boxing java.lang.Integer   N bytes=16 via=java.lang.Integer.valueOf
//   constructed main new java.lang.Integer     N bytes=16
// END
/** Boxing of every primitive type, inside and outside the caches, by the compiler and by hand. */
final class Boxing {
    @SuppressWarnings({"deprecation", "removal"}) // the constructor is one way to allocate
    public static void main(String[] words) throws Exception {
        long sum = 0;
        List<Object> sink = new ArrayList<>();
        sink.add(null);
        for (int i = 0; i < Known.N; i++) {
            Integer integerOut = 1000 + i; // SITE integerOut
            Integer integerIn = i & 127; // SITE integerIn
            Integer integerMix = i; // SITE integerMix
            Long longOut = 1000L + i; // SITE longOut
            Long longIn = (long) (i & 127); // SITE longIn
            Short shortOut = (short) (1000 + i % 1000); // SITE shortOut
            Short shortIn = (short) (i & 127); // SITE shortIn
            Character charOut = (char) (1000 + i % 1000); // SITE charOut
            Character charIn = (char) (i & 127); // SITE charIn
            Byte byteBox = (byte) i; // SITE byte
            Boolean booleanBox = i % 2 == 0; // SITE boolean
            Float floatBox = (float) i; // SITE float
            Double doubleBox = (double) i; // SITE double
            Integer explicit = Integer.valueOf(i + 1000); // SITE explicit
            Integer constructed = new Integer(i); // SITE constructed
            sum += integerOut + integerIn + integerMix + longOut + longIn + shortOut + shortIn + charOut + charIn + byteBox
                    + (booleanBox ? 1 : 0) + floatBox.intValue() + doubleBox.intValue() + explicit + constructed;
        }
        Known known = Known.of(Boxing.class).count("integerMix", Known.N - 128);
        for (String site : "integerOut longOut shortOut charOut float double explicit constructed".split(" ")) {
            known.count(site, Known.N);
        }
        for (String site : "integerIn longIn shortIn charIn byte boolean".split(" ")) {
            known.count(site, 0);
        }
        known.done(sum + sink.size());
    }
}
