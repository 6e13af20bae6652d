package java.lang.invoke;

import jdk.internal.misc.Unsafe;
import jdk.internal.vm.annotation.DontInline;
import jdk.internal.vm.annotation.ForceInline;
import jdk.internal.vm.annotation.Hidden;

/**
 * What only a class of this package can ask of the JIT. Used where the agent has found both methods of {@code MethodHandleImpl} with the
 * signatures that they have on JDK 17, 21 and 25.
 */
public final class DuckTrackHints {
    private static final Unsafe U = Unsafe.getUnsafe();
    /** The address of a word that is 0. */
    private static final long ZERO = zero();
    /** A profile that says: both outcomes are common. */
    private static final int[] BOTH = {1000000, 1000000};

    private DuckTrackHints() {}

    /** Stamps of a round that is timed. */
    private static final int STAMPS = 100;
    /** Rounds that are timed, in code of C2. The fastest counts, because a round may have waited for a core. */
    private static final int TIMED = 20;
    /** Where C2 has not compiled the round by then, there is no answer. */
    private static final long NANOS = 100_000_000;

    private static native long zero();

    /**
     * Picoseconds of a stamp of an array of references in code of C2, at this distance; 0: there was no such code in time. The stamps are
     * 0, which is none.
     */
    @Hidden
    public static long picoseconds(long distance) {
        Object[] array = new Object[1];
        long fastest = Long.MAX_VALUE;
        int timed = 0;
        long start = System.nanoTime();
        for (long now = start; timed < TIMED && now - start < NANOS; ) {
            boolean isC2 = stamps(array, distance);
            long end = System.nanoTime();
            if (isC2) {
                fastest = Math.min(fastest, end - now);
                timed++;
            }
            now = end;
        }
        return timed < TIMED ? 0 : Math.max(1, fastest * 1000 / STAMPS);
    }

    /** C2 knows here that it is an array of references and not null. */
    @DontInline
    @Hidden
    private static boolean stamps(Object[] array, long distance) {
        for (int i = 0; i < STAMPS * array.length; i++) {
            U.putLongOpaque(hide(array), distance, 0);
        }
        return isC2();
    }

    /** True in code of C2 only, and a constant there. */
    @ForceInline
    @Hidden
    public static boolean isC2() {
        return MethodHandleImpl.isCompileConstant("");
    }

    /**
     * The same object, of which C2 no longer knows that it is an array of references. Else it would make a call of the native method of an
     * access to it as to a number. It believes the profile and keeps both branches: the base may be null, so the access may lie outside of
     * the heap.
     */
    @ForceInline
    @Hidden
    public static Object hide(Object object) {
        return MethodHandleImpl.profileBoolean(U.getInt(null, ZERO) == 0, BOTH) ? object : null;
    }
}
