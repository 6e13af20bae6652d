package ducktrack.known;

import java.util.function.IntSupplier;

// PROGRAM
// EXPECT
//   scala     scala  lambda           $$Lambda N
//   kotlin    kotlin lambda           $$Lambda N
//   reference java   method-reference $$Lambda N
// END
/**
 * Closures as the compilers of Scala and Kotlin write them: an {@code invokedynamic} whose body is a method with a name of that compiler. In
 * Java, a reference to a method of such a name has the same bytecode.
 */
final class ClosuresOfOtherLanguages {
    private final int value;

    private ClosuresOfOtherLanguages(int value) {
        this.value = value;
    }

    private int $anonfun$scala$1() {
        return value;
    }

    private int kotlin$lambda$0() {
        return value + 1;
    }

    private int anonfun() {
        return value + 2;
    }

    private IntSupplier scala() {
        return this::$anonfun$scala$1; // SITE scala
    }

    private IntSupplier kotlin() {
        return this::kotlin$lambda$0; // SITE kotlin
    }

    private IntSupplier java() {
        return this::anonfun; // SITE reference
    }

    public static void main(String[] words) throws Exception {
        long sum = 0;
        for (int i = 0; i < Known.N; i++) {
            ClosuresOfOtherLanguages made = new ClosuresOfOtherLanguages(i);
            sum += made.scala().getAsInt() + made.kotlin().getAsInt() + made.java().getAsInt();
        }
        Known.of(ClosuresOfOtherLanguages.class)
                .count("scala", Known.N).count("kotlin", Known.N).count("reference", Known.N)
                .done(sum);
    }
}
