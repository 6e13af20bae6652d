package ducktrack.known;

import java.util.function.IntSupplier;
import java.util.function.IntUnaryOperator;
import java.util.function.Supplier;

// PROGRAM
// EXPECT
//   capturing   main     lambda $$Lambda N
//   two         main     lambda $$Lambda N
//   plain       main     lambda $$Lambda 0
//   serial      main     lambda $$Lambda N/2
//   instance    adder    lambda $$Lambda N
//   body        lambda$* newarray int[]  N bytes=32
//   nested      lambda$* lambda $$Lambda N
// END
/**
 * Lambdas: those that capture make an object at each {@code invokedynamic}; the one that does not has its only object made by the JDK when
 * the call site is linked. Bodies are synthetic methods that allocate as any other.
 */
final class Lambda {
    private final int base;

    private Lambda(int base) {
        this.base = base;
    }

    private IntUnaryOperator adder() {
        return x -> x + base; // SITE instance
    }

    public static void main(String[] words) throws Exception {
        long sum = 0;
        long serial = 0;
        Lambda receiver = new Lambda(3);
        for (int i = 0; i < Known.N; i++) {
            int captured = i;
            long other = sum;
            IntSupplier capturing = () -> captured; // SITE capturing
            sum += capturing.getAsInt();
            Supplier<Long> two = () -> captured + other; // SITE two
            sum += two == null ? 1 : 0;
            IntUnaryOperator plain = x -> x + 1; // SITE plain
            sum += plain.applyAsInt(i);
            if (i % 2 == 0) {
                Runnable serializable = (Runnable & java.io.Serializable) () -> check(captured); // SITE serial
                serializable.run();
                serial++;
            }
            sum += receiver.adder().applyAsInt(i);
            IntSupplier allocating = () -> new int[] {captured, 1, 2}.length; // SITE body
            sum += allocating.getAsInt();
            Supplier<IntSupplier> outer = () -> () -> captured; // SITE nested
            sum += outer.get().getAsInt();
        }
        Known.of(Lambda.class)
                .count("capturing", Known.N).count("two", Known.N).count("plain", 0).count("serial", serial)
                .count("instance", Known.N).count("body", Known.N).count("nested", Known.N)
                .done(sum);
    }

    private static void check(int value) {
        if (value < 0) {
            throw new IllegalArgumentException();
        }
    }
}
