package java.lang.invoke;

import jdk.internal.misc.Unsafe;
import jdk.internal.vm.annotation.ForceInline;
import jdk.internal.vm.annotation.Hidden;

/**
 * What only a class of this package can ask of the JIT. Used where the agent has found both methods of {@code MethodHandleImpl} with the signatures
 * that they have on JDK 17, 21 and 25.
 */
public final class DuckTrackHints {
    private static final Unsafe U = Unsafe.getUnsafe();
    /** The address of a word that is 0. */
    private static final long ZERO = zero();
    /** A profile that says: both outcomes are common. */
    private static final int[] BOTH = {1000000, 1000000};

    private DuckTrackHints() {}

    private static native long zero();

    /** True in code of C2 only, and a constant there. */
    @ForceInline
    @Hidden
    public static boolean isC2() {
        return MethodHandleImpl.isCompileConstant("");
    }

    /**
     * The same object, of which C2 no longer knows that it is an array of references. Else it would make a call of the native method of an access to it as
     * to a number. It believes the profile and keeps both branches: the base may be null, so the access may lie outside of the heap.
     */
    @ForceInline
    @Hidden
    public static Object hide(Object object) {
        return MethodHandleImpl.profileBoolean(U.getInt(null, ZERO) == 0, BOTH) ? object : null;
    }
}
