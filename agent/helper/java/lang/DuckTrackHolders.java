package java.lang;

import jdk.internal.misc.Unsafe;
import jdk.internal.vm.annotation.ForceInline;
import jdk.internal.vm.annotation.Hidden;

/**
 * The holders of threads: arrays of three elements into which an object is stored to read its identity back as a number.
 *
 * <p>With its first event after a collection a thread makes itself a new holder ({@link #renew}): it is young, so the collectors' barriers
 * have nothing to do. The agent empties holders when a collection begins, so that they keep nothing alive.
 */
final class DuckTrackHolders {
    private static final Unsafe U = Unsafe.getUnsafe();

    /** Whether references in fields are compressed. */
    static final boolean NARROW = constant(DuckTrackLayout.ASK_RECORD_NARROW) != 0;
    /**
     * Holders of all threads, by number of the thread's buffer and 1; the first is that of threads without a buffer. Elements are objects,
     * so that C2 does not know what they are.
     */
    private static final Object[] HOLDERS;

    /** Holders that are made at the start: most threads need no other before their first event. */
    private static final int AT_ONCE = 256;
    private static final long REFERENCE = 1L << DuckTrackSizes.SHIFTR;
    static final long FIRST = DuckTrackSizes.BASER - DuckTrackSizes.ALIGN;
    static final long SECOND = FIRST + REFERENCE;
    static final long THIRD = SECOND + REFERENCE;

    static {
        HOLDERS = holders((int) constant(DuckTrackLayout.ASK_RECORD_MOST_HOLDERS));
    }

    private DuckTrackHolders() {}

    static native long constant(int which);

    private static Object[] holders(int most) {
        Object[] holders = new Object[most];
        for (int i = 0; i < most && i < AT_ONCE; i++) {
            holders[i] = new Object[3];
        }
        return holders;
    }

    /** The array of holders, for the agent: they are emptied when a collection begins. */
    static Object[] all() {
        return HOLDERS;
    }

    /** Where an object is, at some moment during the call. For the agent, before any code is instrumented. */
    static long identityOf(Object object) {
        Object holder = HOLDERS[0];
        U.putReference(holder, FIRST, object);
        long identity = identity(holder, FIRST);
        U.putReference(holder, FIRST, null);
        return identity;
    }

    /** The thread with this block, whose buffer has this number, gets its holder. False: there is none for it. */
    @Hidden
    static boolean give(long block, long number) {
        if (number > 0 && number < HOLDERS.length && HOLDERS[(int) number] != null) {
            U.putLong(null, block + DuckTrackLayout.HOLDER, number << DuckTrackSizes.SHIFTR);
            return true;
        }
        return renew(block, number);
    }

    /** A new holder for the thread. False: there can be none. */
    @Hidden
    static boolean renew(long block, long number) {
        if (number <= 0 || number >= HOLDERS.length) {
            return false;
        }
        try {
            HOLDERS[(int) number] = new Object[3];
        } catch (OutOfMemoryError | StackOverflowError noRoom) {
            return false;
        }
        U.putLong(null, block + DuckTrackLayout.HOLDER_EPOCH, U.getInt(null, DuckTrackEventBuffer.EPOCH));
        U.putLong(null, block + DuckTrackLayout.HOLDER, number << DuckTrackSizes.SHIFTR);
        return true;
    }

    @ForceInline
    @Hidden
    static Object holder(long slot) {
        return U.getReference(HOLDERS, FIRST + U.getLong(null, slot + (DuckTrack.SHARED + DuckTrackLayout.HOLDER)));
    }

    /** What was just stored into a holder, as a number. */
    @ForceInline
    @Hidden
    static long identity(Object holder, long place) {
        return NARROW ? U.getInt(holder, place) : U.getLong(holder, place);
    }
}
