package ducktrack.known;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;

// PROGRAM
// EXPECT
//   exact   main method-handle Exact   N bytes=16
//   exacts  -    method-handle Exact   N bytes=16
//   generic main method-handle Generic N bytes=16
//   generics - method-handle Generic   N bytes=16
//   array   main method-handle|array-reflection long[] N bytes=40
//   arrays  -    method-handle|array-reflection Exact[] N
//   asType  -    method-handle Typed   N bytes=16
//   varied  -    method-handle Varied  N bytes=16
// END
/** Method handles to constructors: {@code invokeExact}, {@code invoke}, {@code arrayConstructor}, adapted, and not constant. */
final class MethodHandleCall {
    static final class Exact {
        final int value;

        Exact(int value) {
            this.value = value;
        }
    }

    static final class Generic {
        final int value;

        Generic(int value) {
            this.value = value;
        }
    }

    static final class Typed {}

    static final class Varied {}

    private static final MethodHandles.Lookup LOOKUP = MethodHandles.lookup();
    private static final MethodHandle EXACT = constructor(Exact.class, int.class);
    private static final MethodHandle GENERIC = constructor(Generic.class, int.class);
    private static final MethodHandle TYPED = constructor(Typed.class).asType(MethodType.methodType(Object.class));
    private static final MethodHandle LONGS = MethodHandles.arrayConstructor(long[].class);
    private static final MethodHandle EXACTS = MethodHandles.arrayConstructor(Exact[].class);

    private static MethodHandle constructor(Class<?> owner, Class<?>... parameters) {
        try {
            return LOOKUP.findConstructor(owner, MethodType.methodType(void.class, parameters));
        } catch (ReflectiveOperationException impossible) {
            throw new AssertionError(impossible);
        }
    }

    public static void main(String[] words) throws Throwable {
        long sum = 0;
        MethodHandle varied = constructor(Varied.class);
        for (int i = 0; i < Known.N; i++) {
            sum += ((Exact) EXACT.invokeExact(i)).value; // SITE exact
            Object generic = GENERIC.invoke(i); // SITE generic
            sum += ((Generic) generic).value;
            sum += ((long[]) LONGS.invokeExact(3)).length; // SITE array
            sum += ((Exact[]) EXACTS.invokeExact(2)).length;
            sum += (Object) TYPED.invokeExact() == null ? 1 : 0;
            sum += (Varied) varied.invoke() == null ? 1 : 0;
        }
        Known.of(MethodHandleCall.class)
                .count("exact", Known.N).count("exacts", Known.N).count("generic", Known.N).count("generics", Known.N)
                .count("array", Known.N).count("arrays", Known.N).count("asType", Known.N).count("varied", Known.N)
                .done(sum);
    }
}
