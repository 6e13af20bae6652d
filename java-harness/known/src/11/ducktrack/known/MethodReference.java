package ducktrack.known;

import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;

// PROGRAM
// EXPECT
//   bound       main method-reference $$Lambda N
//   unbound     main method-reference $$Lambda 0
//   static      main method-reference $$Lambda 0
//   constructor main method-reference $$Lambda 0
//   made        -    new|lambda|method-reference Made N bytes=16
//   arrays      main method-reference|lambda $$Lambda 0
//   array       lambda$* newarray long[] N bytes=40
//   superCall   Sub.viaSuper method-reference|lambda $$Lambda N
// END
/**
 * Method references. A constructor reference makes its objects in the hidden class that the JDK spins for it, so that they are expected by
 * their type alone; an array constructor reference in a synthetic method at its own line.
 */
class MethodReference {
    private static final class Made {
        final int value;

        Made(int value) {
            this.value = value;
        }
    }

    private static final class Sub extends MethodReference {
        @Override
        int length() {
            return -1;
        }

        IntSupplier viaSuper() {
            return super::length; // SITE superCall
        }
    }

    int length() {
        return 7;
    }

    private static int twice(int value) {
        return 2 * value;
    }

    public static void main(String[] words) throws Exception {
        long sum = 0;
        MethodReference receiver = new MethodReference();
        Sub sub = new Sub();
        for (int i = 0; i < Known.N; i++) {
            IntSupplier bound = receiver::length; // SITE bound
            sum += bound.getAsInt();
            ToIntFunction<String> unbound = String::length; // SITE unbound
            sum += unbound.applyAsInt("four");
            IntFunction<Integer> twice = MethodReference::twice; // SITE static
            sum += twice.apply(1);
            IntFunction<Made> constructor = Made::new; // SITE constructor
            sum += constructor.apply(i).value;
            IntFunction<long[]> arrays = long[]::new; // SITE arrays array
            sum += arrays.apply(3).length;
            sum += sub.viaSuper().getAsInt();
        }
        Function<Supplier<String>, String> get = Supplier::get;
        sum += get.apply(() -> "x").length();
        Known.of(MethodReference.class)
                .count("bound", Known.N).count("unbound", 0).count("static", 0).count("constructor", 0)
                .count("made", Known.N).count("arrays", 0).count("array", Known.N).count("superCall", Known.N)
                .done(sum);
    }
}
