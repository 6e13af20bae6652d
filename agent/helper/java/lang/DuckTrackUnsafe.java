package java.lang;

import jdk.internal.misc.Unsafe;
import jdk.internal.vm.annotation.DontInline;
import jdk.internal.vm.annotation.ForceInline;
import jdk.internal.vm.annotation.Hidden;

/**
 * What instrumented code calls with {@code mode=full} where it called a method of {@code Unsafe} that updates a reference: the update is
 * recorded ({@link DuckTrackRecords}), and the method is called.
 */
public final class DuckTrackUnsafe {
    private static final Unsafe U = Unsafe.getUnsafe();

    private DuckTrackUnsafe() {}

    @Hidden
    private static void stored(Object holder, long offset, Object old, Object value) {
        if (holder != null) {
            DuckTrackWitness.lost(old);
            DuckTrackRecords.record(holder, offset >>> 2, old, value);
        }
    }

    @ForceInline
    @Hidden
    private static void willStore(Object holder, long offset, Object value) {
        try {
            replaced(holder, offset, value);
        } catch (StackOverflowError end) {
            DuckTrackRecords.noStack();
        }
    }

    @DontInline
    @Hidden
    private static void replaced(Object holder, long offset, Object value) {
        if (holder != null) {
            stored(holder, offset, U.getReference(holder, offset), value);
        }
    }

    @ForceInline
    @Hidden
    public static void putReference(Unsafe unsafe, Object holder, long offset, Object value) {
        willStore(holder, offset, value);
        unsafe.putReference(holder, offset, value);
    }

    @ForceInline
    @Hidden
    public static void putReferenceVolatile(Unsafe unsafe, Object holder, long offset, Object value) {
        willStore(holder, offset, value);
        unsafe.putReferenceVolatile(holder, offset, value);
    }

    @ForceInline
    @Hidden
    public static void putReferenceOpaque(Unsafe unsafe, Object holder, long offset, Object value) {
        willStore(holder, offset, value);
        unsafe.putReferenceOpaque(holder, offset, value);
    }

    @ForceInline
    @Hidden
    public static void putReferenceRelease(Unsafe unsafe, Object holder, long offset, Object value) {
        willStore(holder, offset, value);
        unsafe.putReferenceRelease(holder, offset, value);
    }

    @ForceInline
    @Hidden
    private static void exchanged(Object holder, long offset, Object old, Object value) {
        try {
            isStored(holder, offset, old, value);
        } catch (StackOverflowError end) {
            DuckTrackRecords.noStack();
        }
    }

    @DontInline
    @Hidden
    private static void isStored(Object holder, long offset, Object old, Object value) {
        stored(holder, offset, old, value);
    }

    @ForceInline
    @Hidden
    private static boolean ifDone(boolean done, Object holder, long offset, Object old, Object value) {
        if (done) {
            exchanged(holder, offset, old, value);
        }
        return done;
    }

    @ForceInline
    @Hidden
    public static boolean compareAndSetReference(Unsafe unsafe, Object holder, long offset, Object old, Object value) {
        return ifDone(unsafe.compareAndSetReference(holder, offset, old, value), holder, offset, old, value);
    }

    @ForceInline
    @Hidden
    public static boolean weakCompareAndSetReference(Unsafe unsafe, Object holder, long offset, Object old, Object value) {
        return ifDone(unsafe.weakCompareAndSetReference(holder, offset, old, value), holder, offset, old, value);
    }

    @ForceInline
    @Hidden
    public static boolean weakCompareAndSetReferencePlain(Unsafe unsafe, Object holder, long offset, Object old, Object value) {
        return ifDone(unsafe.weakCompareAndSetReferencePlain(holder, offset, old, value), holder, offset, old, value);
    }

    @ForceInline
    @Hidden
    public static boolean weakCompareAndSetReferenceAcquire(Unsafe unsafe, Object holder, long offset, Object old, Object value) {
        return ifDone(unsafe.weakCompareAndSetReferenceAcquire(holder, offset, old, value), holder, offset, old, value);
    }

    @ForceInline
    @Hidden
    public static boolean weakCompareAndSetReferenceRelease(Unsafe unsafe, Object holder, long offset, Object old, Object value) {
        return ifDone(unsafe.weakCompareAndSetReferenceRelease(holder, offset, old, value), holder, offset, old, value);
    }

    @ForceInline
    @Hidden
    private static Object ifEqual(Object found, Object holder, long offset, Object old, Object value) {
        if (found == old) {
            exchanged(holder, offset, old, value);
        }
        return found;
    }

    @ForceInline
    @Hidden
    public static Object compareAndExchangeReference(Unsafe unsafe, Object holder, long offset, Object old, Object value) {
        return ifEqual(unsafe.compareAndExchangeReference(holder, offset, old, value), holder, offset, old, value);
    }

    @ForceInline
    @Hidden
    public static Object compareAndExchangeReferenceAcquire(Unsafe unsafe, Object holder, long offset, Object old, Object value) {
        return ifEqual(unsafe.compareAndExchangeReferenceAcquire(holder, offset, old, value), holder, offset, old, value);
    }

    @ForceInline
    @Hidden
    public static Object compareAndExchangeReferenceRelease(Unsafe unsafe, Object holder, long offset, Object old, Object value) {
        return ifEqual(unsafe.compareAndExchangeReferenceRelease(holder, offset, old, value), holder, offset, old, value);
    }

    @ForceInline
    @Hidden
    private static Object was(Object old, Object holder, long offset, Object value) {
        exchanged(holder, offset, old, value);
        return old;
    }

    @ForceInline
    @Hidden
    public static Object getAndSetReference(Unsafe unsafe, Object holder, long offset, Object value) {
        return was(unsafe.getAndSetReference(holder, offset, value), holder, offset, value);
    }

    @ForceInline
    @Hidden
    public static Object getAndSetReferenceAcquire(Unsafe unsafe, Object holder, long offset, Object value) {
        return was(unsafe.getAndSetReferenceAcquire(holder, offset, value), holder, offset, value);
    }

    @ForceInline
    @Hidden
    public static Object getAndSetReferenceRelease(Unsafe unsafe, Object holder, long offset, Object value) {
        return was(unsafe.getAndSetReferenceRelease(holder, offset, value), holder, offset, value);
    }
}
