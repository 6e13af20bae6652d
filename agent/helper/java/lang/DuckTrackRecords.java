package java.lang;

import java.lang.reflect.Array;
import jdk.internal.misc.Unsafe;
import jdk.internal.vm.annotation.DontInline;
import jdk.internal.vm.annotation.ForceInline;
import jdk.internal.vm.annotation.Hidden;

/**
 * What instrumented code calls with {@code mode=full}: updates of references become records in the current thread's buffer. Words are
 * described in {@code trace-format/src/witness_event.rs}.
 *
 * <p>An object's identity is its address of this moment, as the VM writes it into a field: it is stored into an array of three elements
 * that belongs to the thread (its
 * <em>holder</em>, {@link DuckTrackHolders}), and read back as a number. The order matters: identities, then LIMIT, then the words, then
 * CURSOR. A collection that comes before LIMIT is read makes it 0, and the record is begun anew; after one that comes later, the words are
 * from before: no {@code cut} precedes them. So they are right in every case.
 */
public final class DuckTrackRecords {
    private static final Unsafe U = Unsafe.getUnsafe();

    /** Where the word is that counts microseconds since 1970, as the agent goes on with it. */
    static final long CLOCK = DuckTrackHolders.constant(DuckTrackLayout.ASK_RECORD_CLOCK);
    /** Where the block of the thread is that wrote the last record. */
    static final long LAST_WRITER = DuckTrackHolders.constant(DuckTrackLayout.ASK_RECORD_LAST_WRITER);
    /** Where updates are counted of which no record could be made. */
    private static final long UNSEEN = DuckTrackHolders.constant(DuckTrackLayout.ASK_RECORD_UNSEEN);
    /** Where records are counted that could not be made because the stack ended in a probe. */
    private static final long WITHOUT_STACK = DuckTrackHolders.constant(DuckTrackLayout.ASK_RECORD_WITHOUT_STACK);
    private static final boolean NARROW = DuckTrackHolders.NARROW;

    private static final long FIRST = DuckTrackHolders.FIRST;
    private static final long SECOND = DuckTrackHolders.SECOND;
    private static final long THIRD = DuckTrackHolders.THIRD;
    private static final long CURSOR = DuckTrack.SHARED + DuckTrackLayout.CURSOR;
    private static final long LIMIT = DuckTrack.SHARED + DuckTrackLayout.LIMIT;
    private static final long TOLD_CLOCK = DuckTrack.SHARED + DuckTrackLayout.TOLD_CLOCK;
    private static final long FAR = DuckTrackEventBuffer.FAR;

    private static final int EXTENDED = DuckTrackLayout.EVENT_FIRST_EXTENDED << 12;
    private static final int UPDATE = EXTENDED + (DuckTrackLayout.EVENT_UPDATE << 12);
    private static final int STATIC_UPDATE = EXTENDED + (DuckTrackLayout.EVENT_STATIC_UPDATE << 12);
    private static final int SHORT_UPDATE = EXTENDED + (DuckTrackLayout.EVENT_FIRST_SHORT_UPDATE << 12);
    private static final int SHORT_SLOTS = DuckTrackLayout.EVENT_SHORT_UPDATES;

    private DuckTrackRecords() {}

    /** 0 where a record may be written. After the identities were read. */
    @ForceInline
    @Hidden
    static long obstacles(long slot, long cursor) {
        return (U.getLong(null, slot + LIMIT) - cursor) & FAR | U.getLong(null, CLOCK) ^ U.getLong(null, slot + TOLD_CLOCK);
    }

    @ForceInline
    @Hidden
    static void unseen() {
        U.getAndAddLong(null, UNSEEN, 1);
    }

    /** A probe is a call, and the stack may end in it. The program goes on: its own next call will find the end. */
    @ForceInline
    @Hidden
    static void noStack() {
        U.getAndAddLong(null, WITHOUT_STACK, 1);
    }

    /** A field of an object is about to get a new target. That the object is null, the store will find. */
    @ForceInline
    @Hidden
    public static void field(Object holder, Object value, int number) {
        if (holder != null) {
            try {
                ofField(holder, value, number);
            } catch (StackOverflowError end) {
                noStack();
            }
        }
    }

    @DontInline
    @Hidden
    private static void ofField(Object holder, Object value, int number) {
        long offset = DuckTrackWitness.offset(holder, number);
        if (offset == DuckTrackWitness.NOWHERE) {
            unseen();
            return;
        }
        Object old = U.getReference(holder, offset);
        DuckTrackWitness.lost(old);
        record(holder, offset >>> 2, old, value);
    }

    /** A constructor has set a field of its object before the object was one. */
    @ForceInline
    @Hidden
    public static void initial(Object holder, int number) {
        try {
            ofInitial(holder, number);
        } catch (StackOverflowError end) {
            noStack();
        }
    }

    @DontInline
    @Hidden
    private static void ofInitial(Object holder, int number) {
        long offset = DuckTrackWitness.offset(holder, number);
        if (offset == DuckTrackWitness.NOWHERE) {
            unseen();
            return;
        }
        record(holder, offset >>> 2, null, U.getReference(holder, offset));
    }

    /**
     * An array of references is used, and one of its elements is about to get a new target, if it is there and may have it. Gives the
     * target.
     */
    @ForceInline
    @Hidden
    public static Object element(Object value, Object array, int index) {
        try {
            ofElement(value, array, index);
        } catch (StackOverflowError end) {
            noStack();
        }
        return value;
    }

    /** {@code java.lang.reflect.Array.set} */
    @ForceInline
    @Hidden
    public static void set(Object array, int index, Object value) {
        element(value, array, index);
        Array.set(array, index, value);
    }

    @DontInline
    @Hidden
    private static void ofElement(Object value, Object array, int index) {
        DuckTrackWitness.any(array);
        if (!(array instanceof Object[])) {
            return;
        }
        Object[] elements = (Object[]) array;
        if (index >= 0 && index < elements.length && mayHold(elements, value)) {
            Object old = elements[index];
            DuckTrackWitness.lost(old);
            record(elements, slot(index), old, value);
        }
    }

    @ForceInline
    @Hidden
    static boolean mayHold(Object[] elements, Object value) {
        Class<?> type = elements.getClass();
        return value == null || type == Object[].class || type.getComponentType().isInstance(value);
    }

    @ForceInline
    @Hidden
    static long slot(int index) {
        return FIRST + ((long) index << DuckTrackSizes.SHIFTR) >>> 2;
    }

    /** A static field is about to get a new target. */
    @ForceInline
    @Hidden
    public static void fieldOfClass(Object value, Object old, int number) {
        try {
            ofClass(value, old, number);
        } catch (StackOverflowError end) {
            noStack();
        }
    }

    @DontInline
    @Hidden
    private static void ofClass(Object value, Object old, int number) {
        DuckTrackWitness.lost(old);
        while (!tryStatic(value, old, number)) {
            if (!DuckTrackEventBuffer.ready(CLOCK)) {
                return;
            }
        }
    }

    @ForceInline
    @Hidden
    static void record(Object source, long slot, Object old, Object value) {
        if (!tryUpdate(source, slot, old, value)) {
            again(source, slot, old, value);
        }
    }

    @DontInline
    @Hidden
    private static void again(Object source, long slot, Object old, Object value) {
        do {
            if (!DuckTrackEventBuffer.ready(CLOCK)) {
                return;
            }
        } while (!tryUpdate(source, slot, old, value));
    }

    @ForceInline
    @Hidden
    private static boolean tryUpdate(Object source, long place, Object old, Object value) {
        long slot = DuckTrack.slot();
        Object holder = DuckTrackHolders.holder(slot);
        U.putReference(holder, FIRST, source);
        U.putReference(holder, SECOND, value);
        if (old != null) {
            U.putReference(holder, THIRD, old);
        }
        if (!NARROW) {
            return tryWide(slot, holder, place, old != null);
        }
        int from = U.getInt(holder, FIRST);
        int to = U.getInt(holder, SECOND);
        int was = old == null ? 0 : U.getInt(holder, THIRD);
        long cursor = U.getLong(null, slot + CURSOR);
        if (obstacles(slot, cursor) != 0) {
            return false;
        }
        if (place >= SHORT_SLOTS) {
            U.putInt(null, cursor, UPDATE | 4);
            U.putInt(null, cursor + 4, (int) place);
            U.putInt(null, cursor + 8, from);
            U.putInt(null, cursor + 12, was);
            U.putInt(null, cursor + 16, to);
            U.putLong(null, slot + CURSOR, cursor + 20);
        } else if (old == null) {
            U.putInt(null, cursor, SHORT_UPDATE + ((int) place << 12) | 2);
            U.putInt(null, cursor + 4, from);
            U.putInt(null, cursor + 8, to);
            U.putLong(null, slot + CURSOR, cursor + 12);
        } else {
            U.putInt(null, cursor, SHORT_UPDATE + ((int) place << 12) | 3);
            U.putInt(null, cursor + 4, from);
            U.putInt(null, cursor + 8, was);
            U.putInt(null, cursor + 12, to);
            U.putLong(null, slot + CURSOR, cursor + 16);
        }
        return true;
    }

    @DontInline
    @Hidden
    private static boolean tryWide(long slot, Object holder, long place, boolean hasOld) {
        long from = U.getLong(holder, FIRST);
        long to = U.getLong(holder, SECOND);
        long was = hasOld ? U.getLong(holder, THIRD) : 0;
        long cursor = U.getLong(null, slot + CURSOR);
        if (obstacles(slot, cursor) != 0) {
            return false;
        }
        U.putInt(null, cursor, UPDATE | 7);
        U.putInt(null, cursor + 4, (int) place);
        putLong(cursor + 8, from);
        putLong(cursor + 16, was);
        putLong(cursor + 24, to);
        U.putLong(null, slot + CURSOR, cursor + 32);
        return true;
    }

    @Hidden
    private static boolean tryStatic(Object value, Object old, int number) {
        long slot = DuckTrack.slot();
        Object holder = DuckTrackHolders.holder(slot);
        U.putReference(holder, FIRST, old);
        U.putReference(holder, SECOND, value);
        long was = DuckTrackHolders.identity(holder, FIRST);
        long to = DuckTrackHolders.identity(holder, SECOND);
        long cursor = U.getLong(null, slot + CURSOR);
        if (obstacles(slot, cursor) != 0) {
            return false;
        }
        U.putInt(null, cursor, STATIC_UPDATE | (NARROW ? 3 : 5));
        U.putInt(null, cursor + 4, number);
        long next = put(put(cursor + 8, was), to);
        U.putLong(null, slot + CURSOR, next);
        return true;
    }

    @ForceInline
    @Hidden
    static long put(long cursor, long identity) {
        if (NARROW) {
            U.putInt(null, cursor, (int) identity);
            return cursor + 4;
        }
        putLong(cursor, identity);
        return cursor + 8;
    }

    /** Words are only aligned to 4 bytes. */
    @ForceInline
    @Hidden
    private static void putLong(long cursor, long value) {
        U.putInt(null, cursor, (int) value);
        U.putInt(null, cursor + 4, (int) (value >>> 32));
    }
}
