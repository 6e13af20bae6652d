package java.lang;

import jdk.internal.misc.Unsafe;
import jdk.internal.vm.annotation.DontInline;
import jdk.internal.vm.annotation.ForceInline;
import jdk.internal.vm.annotation.Hidden;

/**
 * What instrumented code calls with {@code witness=full}: updates of references and calls of methods become records in the current thread's buffer. Words are described in
 * {@code trace-format/src/witness_event.rs}.
 *
 * <p>An object's identity is its address of this moment, as the VM writes it into a field: it is stored into an array of three elements that belongs to the thread (its
 * <em>holder</em>), and read back as a number. The order matters: identities, then LIMIT, then the words, then CURSOR. A collection that comes before LIMIT is read makes it 0,
 * and the record is begun anew; after one that comes later, the words are from before, which the missing {@code cut} ahead of them says. So they are right in every case.
 *
 * <p>With its first event after a collection a thread makes itself a new holder ({@link #renew}): it is young, so the collectors' barriers have nothing to do. The agent empties
 * holders when a collection begins, so that they keep nothing alive.
 */
public final class DuckTrackRecords {
    private static final Unsafe U = Unsafe.getUnsafe();

    // The order is that of `RecordConstants` in the agent's `record_helper.rs`.
    /** Whether references in fields are compressed. */
    private static final boolean NARROW = constant(0) != 0;
    /** Where the word is that counts microseconds since 1970, as the agent goes on with it. */
    private static final long CLOCK = constant(1);
    /** Where updates are counted of which no record could be made. */
    private static final long UNSEEN = constant(2);
    /** Where records are counted that could not be made because the stack ended in a probe. */
    private static final long WITHOUT_STACK = constant(4);
    /** Holders of all threads, by number of the thread's buffer and 1; the first is that of threads without a buffer. Elements are objects, so that C2 does not know what they are. */
    private static final Object[] HOLDERS;

    /** Holders that are made at the start: most threads need no other before their first event. */
    private static final int AT_ONCE = 256;
    private static final long REFERENCE = 1L << DuckTrack.SHIFTR;
    private static final long FIRST = DuckTrack.BASER - DuckTrack.ALIGN;
    private static final long SECOND = FIRST + REFERENCE;
    private static final long THIRD = SECOND + REFERENCE;

    private static final long SHARED = DuckTrack.SHARED;
    private static final long CURSOR = SHARED + DuckTrackEventBuffer.CURSOR;
    private static final long LIMIT = SHARED + DuckTrackEventBuffer.LIMIT;
    private static final long HOLDER = SHARED + DuckTrackEventBuffer.HOLDER;
    private static final long TOLD_CLOCK = SHARED + DuckTrackEventBuffer.TOLD_CLOCK;
    private static final long FAR = DuckTrackEventBuffer.FAR;

    private static final int EXTENDED = 0xF0000000;
    private static final int UPDATE = EXTENDED + (0x0200 << 12);
    private static final int STATIC_UPDATE = EXTENDED + (0x0201 << 12);
    private static final int ENTER = EXTENDED + (0x0202 << 12);
    private static final int EXIT = EXTENDED + (0x0203 << 12);
    private static final int THROWN = EXTENDED + (0x0204 << 12);
    private static final int SHORT_UPDATE = EXTENDED + (0x4000 << 12);
    private static final int SHORT_ENTER = EXTENDED + (0x8000 << 12);
    private static final int SHORT_SLOTS = 0x4000;
    private static final int SHORT_METHODS = 0x8000;

    static {
        HOLDERS = holders((int) constant(3));
    }

    private DuckTrackRecords() {}

    private static native long constant(int which);

    /** Calls {@link #first} for each field of an object that is a reference. False: not all fields could be found. */
    private static native boolean fieldsOf(Object copy);

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
            U.putLong(null, block + DuckTrackEventBuffer.HOLDER, number << DuckTrack.SHIFTR);
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
        U.putLong(null, block + DuckTrackEventBuffer.HOLDER_EPOCH, U.getInt(null, DuckTrackEventBuffer.EPOCH));
        U.putLong(null, block + DuckTrackEventBuffer.HOLDER, number << DuckTrack.SHIFTR);
        return true;
    }

    @ForceInline
    @Hidden
    private static Object holder(long slot) {
        return U.getReference(HOLDERS, FIRST + U.getLong(null, slot + HOLDER));
    }

    /** 0 where a record may be written. After the identities were read. */
    @ForceInline
    @Hidden
    private static long obstacles(long slot, long cursor) {
        return (U.getLong(null, slot + LIMIT) - cursor) & FAR | U.getLong(null, CLOCK) ^ U.getLong(null, slot + TOLD_CLOCK);
    }

    @ForceInline
    @Hidden
    private static void unseen() {
        U.getAndAddLong(null, UNSEEN, 1);
    }

    /** A probe is a call, and the stack may end in it. What the program does goes on: its own next call will find the end. */
    @ForceInline
    @Hidden
    private static void noStack() {
        U.getAndAddLong(null, WITHOUT_STACK, 1);
    }

    // Updates

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

    /** An array of references is used, and one of its elements is about to get a new target, if it is there and may have it. Gives the target. */
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
    private static boolean mayHold(Object[] elements, Object value) {
        Class<?> type = elements.getClass();
        return value == null || type == Object[].class || type.getComponentType().isInstance(value);
    }

    @ForceInline
    @Hidden
    private static long slot(int index) {
        return FIRST + ((long) index << DuckTrack.SHIFTR) >>> 2;
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
    private static void record(Object source, long slot, Object old, Object value) {
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
        Object holder = holder(slot);
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
        Object holder = holder(slot);
        U.putReference(holder, FIRST, old);
        U.putReference(holder, SECOND, value);
        long was = identity(holder, FIRST);
        long to = identity(holder, SECOND);
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

    /** What was just stored into a holder, as a number. */
    @ForceInline
    @Hidden
    private static long identity(Object holder, long place) {
        return NARROW ? U.getInt(holder, place) : U.getLong(holder, place);
    }

    @ForceInline
    @Hidden
    private static long put(long cursor, long identity) {
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

    // Updates by calls: what replaces them

    /** {@code System.arraycopy} */
    @ForceInline
    @Hidden
    public static void arraycopy(Object from, int fromIndex, Object to, int toIndex, int length) {
        if (to instanceof Object[]) {
            try {
                copied(from, fromIndex, (Object[]) to, toIndex, length);
            } catch (StackOverflowError end) {
                noStack();
            }
        }
        System.arraycopy(from, fromIndex, to, toIndex, length);
    }

    /** Each element that is about to get a new target. What throws, and what may throw on its way, is not recorded. */
    @DontInline
    @Hidden
    private static void copied(Object from, int fromIndex, Object[] to, int toIndex, int length) {
        if (!(from instanceof Object[])) {
            return;
        }
        Object[] source = (Object[]) from;
        if ((fromIndex | toIndex | length) < 0 || length > source.length - fromIndex || length > to.length - toIndex) {
            return;
        }
        boolean isSure = to.getClass().getComponentType().isAssignableFrom(source.getClass().getComponentType());
        for (int i = 0; i < length; i++) {
            Object value = source[fromIndex + i];
            if (!isSure && !mayHold(to, value)) {
                return;
            }
            Object old = to[toIndex + i];
            if (old != value) {
                DuckTrackWitness.lost(old);
                record(to, slot(toIndex + i), old, value);
            }
        }
    }

    /** An array or another object that is a copy; it has its first targets. */
    @ForceInline
    @Hidden
    public static void made(Object copy) {
        try {
            ofCopy(copy);
        } catch (StackOverflowError end) {
            noStack();
        }
    }

    @DontInline
    @Hidden
    private static void ofCopy(Object copy) {
        if (copy instanceof Object[]) {
            Object[] elements = (Object[]) copy;
            for (int i = 0; i < elements.length; i++) {
                Object value = elements[i];
                if (value != null) {
                    record(elements, slot(i), null, value);
                }
            }
        } else if (copy != null && !copy.getClass().isArray() && !fieldsOf(copy)) {
            unseen();
        }
    }

    @Hidden
    static void first(Object copy, long offset) {
        Object value = U.getReference(copy, offset);
        if (value != null) {
            record(copy, offset >>> 2, null, value);
        }
    }

    @Hidden
    private static void stored(Object holder, long offset, Object old, Object value) {
        if (holder != null) {
            DuckTrackWitness.lost(old);
            record(holder, offset >>> 2, old, value);
        }
    }

    @ForceInline
    @Hidden
    private static void willStore(Object holder, long offset, Object value) {
        try {
            replaced(holder, offset, value);
        } catch (StackOverflowError end) {
            noStack();
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
            noStack();
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

    // Calls

    /** An instance method is entered. */
    @ForceInline
    @Hidden
    public static void enter(Object receiver, int method) {
        try {
            isEntered(receiver, method);
        } catch (StackOverflowError end) {
            noStack();
        }
    }

    @DontInline
    @Hidden
    private static void isEntered(Object receiver, int method) {
        while (!tryObject(receiver, method, method < SHORT_METHODS ? SHORT_ENTER + (method << 12) : ENTER)) {
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
            noStack();
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
        Object holder = holder(slot);
        U.putReference(holder, FIRST, object);
        long identity = identity(holder, FIRST);
        long cursor = U.getLong(null, slot + CURSOR);
        if (obstacles(slot, cursor) != 0) {
            return false;
        }
        int words = NARROW ? 1 : 2;
        if ((word & 0x8000000) != 0) {
            U.putInt(null, cursor, word | words);
            U.putLong(null, slot + CURSOR, put(cursor + 4, identity));
        } else {
            U.putInt(null, cursor, word | words + 1);
            U.putInt(null, cursor + 4, method);
            U.putLong(null, slot + CURSOR, put(cursor + 8, identity));
        }
        return true;
    }

    /** A method without a receiver is entered, or one that has none yet: a constructor. */
    @ForceInline
    @Hidden
    public static void enter(int method) {
        long slot = DuckTrack.slot();
        long cursor = U.getLong(null, slot + CURSOR);
        if (obstacles(slot, cursor) == 0 && method < SHORT_METHODS) {
            U.putInt(null, cursor, SHORT_ENTER + (method << 12));
            U.putLong(null, slot + CURSOR, cursor + 4);
        } else {
            slowly(method, ENTER);
        }
    }

    /** A method returns. */
    @ForceInline
    @Hidden
    public static void exit(int method) {
        long slot = DuckTrack.slot();
        long cursor = U.getLong(null, slot + CURSOR);
        if (obstacles(slot, cursor) == 0) {
            U.putInt(null, cursor, EXIT | 1);
            U.putInt(null, cursor + 4, method);
            U.putLong(null, slot + CURSOR, cursor + 8);
        } else {
            slowly(method, EXIT);
        }
    }

    @ForceInline
    @Hidden
    private static void slowly(int method, int word) {
        try {
            slow(method, word);
        } catch (StackOverflowError end) {
            noStack();
        }
    }

    @DontInline
    @Hidden
    private static void slow(int method, int word) {
        for (;;) {
            long slot = DuckTrack.slot();
            long cursor = U.getLong(null, slot + CURSOR);
            if (obstacles(slot, cursor) == 0) {
                U.putInt(null, cursor, word | 1);
                U.putInt(null, cursor + 4, method);
                U.putLong(null, slot + CURSOR, cursor + 8);
                return;
            }
            if (!DuckTrackEventBuffer.ready(CLOCK)) {
                return;
            }
        }
    }
}
