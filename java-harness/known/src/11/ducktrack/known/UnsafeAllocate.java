package ducktrack.known;

import java.lang.reflect.Field;
import sun.misc.Unsafe;

// PROGRAM
// EXPECT
//   known   main unsafe-allocate Known1  N bytes=16
//   first   main unsafe-allocate First   N/2 bytes=16
//   second  main unsafe-allocate Second  N/2 bytes=24
//   total   -    unsafe-allocate Second  N/2 bytes=24
// END
/** {@code Unsafe.allocateInstance}, which C2 replaces, for a constant class and for one of two. */
final class UnsafeAllocate {
    static final class Known1 {
        int a;
    }

    static final class First {
        int a;
    }

    static final class Second {
        int a;
        int b;
    }

    public static void main(String[] words) throws Exception {
        Field field = Unsafe.class.getDeclaredField("theUnsafe");
        field.setAccessible(true);
        Unsafe unsafe = (Unsafe) field.get(null);
        long sum = 0;
        Class<?>[] classes = {First.class, Second.class};
        for (int i = 0; i < Known.N; i++) {
            sum += ((Known1) unsafe.allocateInstance(Known1.class)).a; // SITE known
            Object either = unsafe.allocateInstance(classes[i & 1]); // SITE first second
            sum += either instanceof First ? 1 : 2;
        }
        Known.of(UnsafeAllocate.class)
                .count("known", Known.N).count("first", Known.N / 2).count("second", Known.N / 2).count("total", Known.N / 2)
                .done(sum);
    }
}
