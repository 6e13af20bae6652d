package java.lang;

import java.lang.invoke.DuckTrackHints;
import jdk.internal.misc.Unsafe;
import jdk.internal.vm.annotation.DontInline;
import jdk.internal.vm.annotation.ForceInline;
import jdk.internal.vm.annotation.Hidden;

/**
 * What instrumented code calls in {@code mode=deaths}: the moment of a use, or of the loss of a reference, goes into the object's word of
 * one of two shadows of the heap ({@code hotspot/src/heap/shadow.rs}).
 *
 * <p>A moment is the thread's number and the position in its own stream of events: the cursor of its buffer and the word BIAS of its block.
 * A pause adds to BIAS, so a moment after a collection is larger than all before. A thread without a block reads those of the block that
 * all share, which tell the number of collections.
 *
 * <p>In compiled code no collection comes between the loads and the store; in the interpreter and in the code of C1 one may, so there the
 * moment is read again. None of these allocates, locks or throws. {@code null} is stamped like an object, where pages are mapped for it.
 */
public final class DuckTrackWitness {
    private static final Unsafe U = Unsafe.getUnsafe();

    /** The distance of an object's word for uses from the object. */
    private static final long USED = constant(DuckTrackLayout.ASK_WITNESS_USED);
    /** The same for the loss of references. */
    private static final long LOST = constant(DuckTrackLayout.ASK_WITNESS_LOST);
    /** Whether {@link DuckTrackHints} works here. */
    private static final boolean HINTS = constant(DuckTrackLayout.ASK_WITNESS_HINTS) != 0;
    /** Where the offsets of fields are, by number; 0 is one that was not looked for yet. */
    private static final long FIELDS = constant(DuckTrackLayout.ASK_WITNESS_FIELDS);
    /** Instead of an offset: the field cannot be found. */
    static final long NOWHERE = -1;

    private static final long CURSOR = DuckTrack.SHARED + DuckTrackLayout.CURSOR;
    private static final long BIAS = DuckTrack.SHARED + DuckTrackLayout.BIAS;

    private DuckTrackWitness() {}

    private static native long constant(int which);

    /** Looks for the field with this number in an object and keeps its offset. {@link #NOWHERE}: it cannot be found. */
    private static native long find(Object holder, int number);

    @ForceInline
    @Hidden
    private static boolean isC2() {
        return HINTS && DuckTrackHints.isC2();
    }

    @ForceInline
    @Hidden
    private static long slot() {
        Thread thread = DuckTrack.thread();
        return DuckTrack.slot(thread, U.getLong(thread, DuckTrack.EETOP));
    }

    @ForceInline
    @Hidden
    private static long now() {
        long slot = slot();
        return U.getLong(null, slot + CURSOR) + U.getLong(null, slot + BIAS);
    }

    @ForceInline
    @Hidden
    private static void stamp(Object object, long shadow) {
        long now;
        do {
            now = now();
            U.putLong(object, shadow, now);
        } while (!isC2() && now != now());
    }

    @ForceInline
    @Hidden
    private static void stampAny(Object object, long shadow) {
        if (isC2()) {
            U.putLongOpaque(DuckTrackHints.hide(object), shadow, now());
        } else if (HINTS) {
            stamp(object, shadow);
        } else {
            try {
                stampByCall(object, shadow);
            } catch (StackOverflowError noRoomForTheCall) {
                return;
            }
        }
    }

    /** Without hints: C2 does not know here what the object is. Opaque, because else it would believe a profile of earlier objects. */
    @DontInline
    @Hidden
    private static void stampByCall(Object object, long shadow) {
        long now;
        do {
            now = now();
            U.putLongOpaque(object, shadow, now);
        } while (now != now());
    }

    /** Uses an object that is no array. */
    @ForceInline
    @Hidden
    public static void instance(Object object) {
        stamp(object, USED);
    }

    /**
     * Uses an array of numbers. Where C2 knows that it is not null, the store is one to the array, without barriers of the compiler around
     * it. The moment is read opaquely, or it would be read once before a loop that may outlast a collection.
     */
    @ForceInline
    @Hidden
    public static void numbers(Object array) {
        if (isC2()) {
            if (array != null) {
                long slot = slot();
                long now = U.getLongOpaque(null, slot + CURSOR) + U.getLongOpaque(null, slot + BIAS);
                U.putLong(array, USED, now);
            }
        } else {
            stamp(array, USED);
        }
    }

    /** Uses an array of references, or what may be one. */
    @ForceInline
    @Hidden
    public static void any(Object object) {
        stampAny(object, USED);
    }

    /** A reference to this object is about to be overwritten. */
    @ForceInline
    @Hidden
    public static void lost(Object old) {
        stampAny(old, LOST);
    }

    /** A field of an object is about to be overwritten. That the object is null, the store will find. */
    @ForceInline
    @Hidden
    public static void field(Object holder, int number) {
        if (holder != null) {
            long offset = offset(holder, number);
            if (offset != NOWHERE) {
                lost(U.getReference(holder, offset));
            }
        }
    }

    /** Where a field is in an object. */
    @ForceInline
    @Hidden
    static long offset(Object holder, int number) {
        long offset = U.getLong(null, FIELDS + 8L * number);
        return offset == 0 ? search(holder, number) : offset;
    }

    @DontInline
    @Hidden
    private static long search(Object holder, int number) {
        try {
            return find(holder, number);
        } catch (StackOverflowError noRoomForTheCall) {
            return NOWHERE;
        }
    }

    /**
     * Uses an array of references one of whose elements is about to be overwritten. Whether there is such an element, and what may be
     * stored there, the store will find.
     */
    @ForceInline
    @Hidden
    public static void element(Object array, int index) {
        any(array);
        if (array instanceof Object[]) {
            Object[] elements = (Object[]) array;
            if (index >= 0 && index < elements.length) {
                lost(elements[index]);
            }
        }
    }
}
