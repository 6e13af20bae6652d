package java.lang;

import java.lang.invoke.DuckTrackHints;
import jdk.internal.misc.Unsafe;
import jdk.internal.vm.annotation.ForceInline;
import jdk.internal.vm.annotation.Hidden;

/**
 * What instrumented code calls where it uses an object: a stamp goes into the object's word of the shadow of the heap
 * ({@code hotspot/src/heap/shadow.rs}).
 *
 * <p>The stamp is a word that the agent advances at each collection. Address computation and store are one instruction in compiled code and
 * one call of a native method in the interpreter, so no collection comes between them. In compiled code none comes between the load of the
 * clock and the store, either; in the interpreter one may, so there the clock is read again.
 *
 * <p>None of these allocates, locks or throws. {@code null} is stamped like an object, where a page is mapped for it; the instruction after
 * the probe throws its own exception.
 */
public final class DuckTrackUses {
    private static final Unsafe U = Unsafe.getUnsafe();

    /** The distance of an object's word from the object. */
    private static final long SHADOW = constant(DuckTrackLayout.ASK_USE_SHADOW);
    /** Where the clock is. */
    private static final long CLOCK = constant(DuckTrackLayout.ASK_USE_CLOCK_ADDRESS);
    /** Whether {@link DuckTrackHints} works here. */
    private static final boolean HINTS = constant(DuckTrackLayout.ASK_USE_HINTS) != 0;

    private DuckTrackUses() {}

    private static native long constant(int which);

    @ForceInline
    @Hidden
    private static boolean isC2() {
        return HINTS && DuckTrackHints.isC2();
    }

    /** An object that is no array. */
    @ForceInline
    @Hidden
    public static void instance(Object object) {
        long now;
        do {
            now = U.getLong(null, CLOCK);
            U.putLong(object, SHADOW, now);
        } while (!isC2() && now != U.getLong(null, CLOCK));
    }

    /**
     * An array of numbers. Where C2 knows that it is not null, the store is one to the array, without barriers of the compiler around it.
     * The clock is read opaquely, or it would be read once before a loop that may outlast a collection.
     */
    @ForceInline
    @Hidden
    public static void numbers(Object array) {
        if (isC2()) {
            if (array != null) {
                U.putLong(array, SHADOW, U.getLongOpaque(null, CLOCK));
            }
        } else {
            instance(array);
        }
    }

    /** An array of references, or what may be one. */
    @ForceInline
    @Hidden
    public static void any(Object object) {
        if (isC2()) {
            U.putLongOpaque(DuckTrackHints.hide(object), SHADOW, U.getLong(null, CLOCK));
        } else {
            instance(object);
        }
    }
}
