package java.lang;

import jdk.internal.misc.Unsafe;
import jdk.internal.vm.annotation.DontInline;
import jdk.internal.vm.annotation.ForceInline;
import jdk.internal.vm.annotation.Hidden;

/**
 * What instrumented code calls with {@code mode=full} where a method is entered or left: the call becomes a record
 * ({@link DuckTrackRecords}).
 */
public final class DuckTrackMethods {
    private static final Unsafe U = Unsafe.getUnsafe();

    /** Whether the identity of a receiver is read in the method itself: G1's barriers would make that too large. */
    private static final boolean IS_INLINED = DuckTrackHolders.constant(DuckTrackLayout.ASK_RECORD_INLINED) != 0;
    private static final boolean NARROW = DuckTrackHolders.NARROW;
    private static final long FIRST = DuckTrackHolders.FIRST;
    private static final long CURSOR = DuckTrack.SHARED + DuckTrackLayout.CURSOR;
    private static final long CLOCK = DuckTrackRecords.CLOCK;

    private static final int EXTENDED = DuckTrackLayout.EVENT_FIRST_EXTENDED << 12;
    private static final int ENTER = EXTENDED + (DuckTrackLayout.EVENT_ENTER << 12);
    private static final int EXIT = EXTENDED + (DuckTrackLayout.EVENT_EXIT << 12);
    private static final int THROWN = EXTENDED + (DuckTrackLayout.EVENT_THROWN << 12);
    private static final int SHORT_ENTER = EXTENDED + (DuckTrackLayout.EVENT_FIRST_SHORT_ENTER << 12);
    private static final int BARE_ENTER = EXTENDED + (DuckTrackLayout.EVENT_FIRST_BARE_ENTER << 12);
    private static final int BARE_EXIT = EXTENDED + (DuckTrackLayout.EVENT_FIRST_BARE_EXIT << 12);
    private static final int BARE_METHODS = DuckTrackLayout.EVENT_BARE_METHODS;
    private static final int SHORT_METHODS = DuckTrackLayout.EVENT_SHORT_ENTERS;

    private DuckTrackMethods() {}

    /** An instance method is entered, and its receiver is used. */
    @ForceInline
    @Hidden
    public static void enter(Object receiver, int method) {
        try {
            if (!IS_INLINED || !tryObject(receiver, method, entry(method))) {
                isEntered(receiver, method);
            }
        } catch (StackOverflowError end) {
            DuckTrackRecords.noStack();
        }
        DuckTrackWitness.instance(receiver);
    }

    @ForceInline
    @Hidden
    private static int entry(int method) {
        return method < SHORT_METHODS ? SHORT_ENTER + (method << 12) : ENTER;
    }

    @DontInline
    @Hidden
    private static void isEntered(Object receiver, int method) {
        while (!tryObject(receiver, method, entry(method))) {
            if (!DuckTrackEventBuffer.ready(CLOCK)) {
                return;
            }
        }
    }

    /** A method ends by an exception. */
    @ForceInline
    @Hidden
    public static void thrown(Object exception, int method) {
        try {
            isLeft(exception, method);
        } catch (StackOverflowError end) {
            DuckTrackRecords.noStack();
        }
    }

    @DontInline
    @Hidden
    private static void isLeft(Object exception, int method) {
        while (!tryObject(exception, method, THROWN)) {
            if (!DuckTrackEventBuffer.ready(CLOCK)) {
                return;
            }
        }
    }

    @ForceInline
    @Hidden
    private static boolean tryObject(Object object, int method, int word) {
        long slot = DuckTrack.slot();
        Object holder = DuckTrackHolders.holder(slot);
        U.putReference(holder, FIRST, object);
        long identity = DuckTrackHolders.identity(holder, FIRST);
        long cursor = U.getLong(null, slot + CURSOR);
        if (DuckTrackRecords.obstacles(slot, cursor) != 0) {
            return false;
        }
        int words = NARROW ? 1 : 2;
        if ((word & 0x8000000) != 0) {
            U.putInt(null, cursor, word | words);
            U.putLong(null, slot + CURSOR, DuckTrackRecords.put(cursor + 4, identity));
        } else {
            U.putInt(null, cursor, word | words + 1);
            U.putInt(null, cursor + 4, method);
            U.putLong(null, slot + CURSOR, DuckTrackRecords.put(cursor + 8, identity));
        }
        return true;
    }

    /** A method without a receiver is entered, or one that has none yet: a constructor. */
    @ForceInline
    @Hidden
    public static void enter(int method) {
        long slot = DuckTrack.slot();
        long cursor = U.getLong(null, slot + CURSOR);
        if (DuckTrackRecords.obstacles(slot, cursor) == 0 && method < BARE_METHODS) {
            U.putInt(null, cursor, BARE_ENTER + method);
            U.putLong(null, slot + CURSOR, cursor + 4);
        } else {
            slowly(method, BARE_ENTER, ENTER);
        }
    }

    /** A method returns. */
    @ForceInline
    @Hidden
    public static void exit(int method) {
        long slot = DuckTrack.slot();
        long cursor = U.getLong(null, slot + CURSOR);
        if (DuckTrackRecords.obstacles(slot, cursor) == 0 && method < BARE_METHODS) {
            U.putInt(null, cursor, BARE_EXIT + method);
            U.putLong(null, slot + CURSOR, cursor + 4);
        } else {
            slowly(method, BARE_EXIT, EXIT);
        }
    }

    @ForceInline
    @Hidden
    private static void slowly(int method, int bare, int word) {
        try {
            slow(method, bare, word);
        } catch (StackOverflowError end) {
            DuckTrackRecords.noStack();
        }
    }

    @DontInline
    @Hidden
    private static void slow(int method, int bare, int word) {
        for (;;) {
            long slot = DuckTrack.slot();
            long cursor = U.getLong(null, slot + CURSOR);
            if (DuckTrackRecords.obstacles(slot, cursor) == 0) {
                if (method < BARE_METHODS) {
                    U.putInt(null, cursor, bare + method);
                    U.putLong(null, slot + CURSOR, cursor + 4);
                } else {
                    U.putInt(null, cursor, word | 1);
                    U.putInt(null, cursor + 4, method);
                    U.putLong(null, slot + CURSOR, cursor + 8);
                }
                return;
            }
            if (!DuckTrackEventBuffer.ready(CLOCK)) {
                return;
            }
        }
    }
}
