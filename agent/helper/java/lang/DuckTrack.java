package java.lang;

import jdk.internal.misc.Unsafe;
import jdk.internal.vm.annotation.DontInline;
import jdk.internal.vm.annotation.ForceInline;
import jdk.internal.vm.annotation.Hidden;

/**
 * What instrumented code calls to count, and what all helper classes know of threads and their blocks. Every method is a few loads and one
 * plain add into the current thread's counter block; nothing here allocates, locks, throws or leaves Java.
 *
 * <p>What most probes do is written out instead of being made of smaller methods: for the first version that it compiles of a method, the
 * JIT emits a counter and a test for each method that it inlines, and that was most of a probe's code there.
 *
 * <p>Every thread has a <em>slot</em> that holds {@code block - SHARED}. An address is {@code slot + (SHARED + offset)}
 * with a constant in the brackets: a thread whose slot is still 0 counts into the shared block, without a test.
 * The agent registers the natives before this class is initialized, so all constants are known to the JIT.
 *
 * <pre>
 * block:  word 0 ...   the header: see {@link DuckTrackLayout}
 *         word 64 ...  counters, one word each
 *         KEYED ...    keyed entries, see {@link DuckTrackKeyed}
 *         after that   the buffer of allocation events, see {@link DuckTrackEventBuffer}
 * </pre>
 */
public final class DuckTrack {
    private static final Unsafe U = Unsafe.getUnsafe();

    static final int SLOT_KIND = (int) constant(DuckTrackLayout.ASK_SLOT_KIND);
    private static final long SLOT_OFFSET = constant(DuckTrackLayout.ASK_SLOT_OFFSET);
    static final long EETOP = constant(DuckTrackLayout.ASK_EETOP);
    static final long SHARED = constant(DuckTrackLayout.ASK_SHARED);
    private static final boolean CARRIER = constant(DuckTrackLayout.ASK_HAS_CARRIERS) != 0;
    private static final long HASH_TABLE = constant(DuckTrackLayout.ASK_SLOT_TABLE);
    private static final long HASH_MASK = constant(DuckTrackLayout.ASK_SLOT_TABLE_MASK);
    static final long KLASS = constant(DuckTrackLayout.ASK_KLASS);
    static final long INTEGER_CACHE_TOP = constant(DuckTrackLayout.ASK_INTEGER_CACHE_TOP);
    static final long TLAB_TOP = constant(DuckTrackLayout.ASK_TLAB_TOP);
    /** What is left of the TLAB's words: the colours of ZGC without generations change within a TLAB. */
    static final long ADDRESS_BITS = constant(DuckTrackLayout.ASK_ADDRESS_BITS);
    static final long ALLOCATED = constant(DuckTrackLayout.ASK_ALLOCATED);
    /** Whether the thread's totals are kept: what calls bring is asked for. */
    static final boolean TOTALS = constant(DuckTrackLayout.ASK_TOTALS) != 0;
    /** By counter: the bytes that one more stands for. */
    private static final long COUNTER_BYTES = constant(DuckTrackLayout.ASK_COUNTER_BYTES);

    /** {@code Class.isHidden} is there from JDK 15 on. */
    static final boolean HAVE_HIDDEN = Runtime.version().feature() >= 15;
    /** {@code java.lang.invoke.MethodHandleNatives.Constants.HIDDEN_CLASS} */
    private static final int HIDDEN_CLASS = 2;

    /** Where the totals of the thread are, in the block. */
    static final long TOTAL = SHARED + DuckTrackLayout.TOTAL_OBJECTS;
    private static final int IN_RESERVED = 0;
    static final int IN_PADDING = 1;

    static final int INTERFACE = 0x200;
    static final int ABSTRACT = 0x400;

    private DuckTrack() {}

    static native long constant(int which);

    /** A key seen for the first time by this thread: the agent learns the name of the object's class. */
    static native void firstSeen(Class<?> type, long klass);

    /** The bytes of a hidden class about to be defined, rewritten; or the same array. */
    private static native byte[] rewriteHidden(byte[] bytes);

    /** The VM begins to shut down: called by {@code Shutdown.runHooks} and {@code Shutdown.halt} first of all. */
    @Hidden
    public static void shutdown() {
        shutdownBegins();
    }

    private static native void shutdownBegins();

    /** Does a call of {@code clone} on an object of this class reach {@code Object.clone}? */
    static native boolean inheritsClone(Class<?> type);

    /** Where classes come in that the class file load hook does not see: their bytes with probes, or the same array. */
    @Hidden
    public static byte[] hidden(byte[] bytes, int flags) {
        return (flags & HIDDEN_CLASS) == 0 || bytes == null ? bytes : rewriteHidden(bytes);
    }

    /** Sets the slot of a thread; called by the agent for threads in the padding of their Thread object. */
    static void setSlot(Thread thread, long value) {
        U.putLong(thread, SLOT_OFFSET, value);
    }

    /** Sets the slot of the current thread, which has one. */
    @ForceInline
    @Hidden
    static void setSlot(Thread thread, long eetop, long value) {
        if (SLOT_KIND == IN_PADDING) {
            U.putLong(thread, SLOT_OFFSET, value);
            return;
        }
        if (SLOT_KIND == IN_RESERVED) {
            U.putLong(null, eetop + SLOT_OFFSET, value);
            return;
        }
        long entry = HASH_TABLE + ((eetop >>> 4) & HASH_MASK);
        for (long key = U.getLong(null, entry); key != 0; key = U.getLong(null, entry)) {
            if (key == eetop) {
                U.putLong(null, entry + 8, value);
                return;
            }
            entry = HASH_TABLE + ((entry - HASH_TABLE + 16) & HASH_MASK);
        }
    }

    static long klassOf(Class<?> type) {
        return U.getLong(type, KLASS);
    }

    /** The thread whose slot and allocation buffer are used: of a virtual thread, its carrier. */
    @ForceInline
    @Hidden
    static Thread thread() {
        return CARRIER ? Thread.currentCarrierThread() : Thread.currentThread();
    }

    /** The current thread's slot. */
    @ForceInline
    @Hidden
    static long slot() {
        Thread thread = CARRIER ? Thread.currentCarrierThread() : Thread.currentThread();
        return SLOT_KIND == IN_PADDING ? U.getLong(thread, SLOT_OFFSET) : slot(thread, U.getLong(thread, EETOP));
    }

    @ForceInline
    @Hidden
    static long slot(Thread thread, long eetop) {
        if (SLOT_KIND == IN_PADDING) {
            return U.getLong(thread, SLOT_OFFSET);
        }
        if (SLOT_KIND == IN_RESERVED) {
            return U.getLong(null, eetop + SLOT_OFFSET);
        }
        long entry = HASH_TABLE + ((eetop >>> 4) & HASH_MASK);
        return U.getLong(null, entry) == eetop ? U.getLong(null, entry + 8) : search(eetop, entry);
    }

    @DontInline
    @Hidden
    private static long search(long eetop, long entry) {
        for (long key = U.getLong(null, entry); key != 0; key = U.getLong(null, entry)) {
            if (key == eetop) {
                return U.getLong(null, entry + 8);
            }
            entry = HASH_TABLE + ((entry - HASH_TABLE + 16) & HASH_MASK);
        }
        return 0;
    }

    @ForceInline
    @Hidden
    static void add(long slot, int id, long amount) {
        long word = slot + (SHARED + ((long) id << 3));
        U.putLong(null, word, U.getLong(null, word) + amount);
    }

    /** Adds to the thread's totals, where they are kept. */
    @ForceInline
    @Hidden
    static void total(long slot, long objects, long bytes) {
        if (TOTALS) {
            U.putLong(null, slot + TOTAL, U.getLong(null, slot + TOTAL) + objects);
            U.putLong(null, slot + (TOTAL + 8), U.getLong(null, slot + (TOTAL + 8)) + bytes);
        }
    }

    /** The same for bytes alone. */
    @ForceInline
    @Hidden
    private static void totalBytes(long slot, long bytes) {
        if (TOTALS) {
            U.putLong(null, slot + (TOTAL + 8), U.getLong(null, slot + (TOTAL + 8)) + bytes);
        }
    }

    @ForceInline
    private static long counterBytes(int id) {
        return TOTALS ? U.getLong(null, COUNTER_BYTES + ((long) id << 3)) : 0;
    }

    /** Counts one. */
    @ForceInline
    @Hidden
    public static void count(int id) {
        long slot = slot();
        long word = slot + (SHARED + ((long) id << 3));
        U.putLong(null, word, U.getLong(null, word) + 1);
        if (TOTALS) {
            total(slot, 1, counterBytes(id));
        }
    }

    /** Counts a string that a chain of StringBuilder has made, and its array; then the bytes of the array. Never where totals are kept. */
    @ForceInline
    @Hidden
    public static void countJoined(String string, int id) {
        long slot = slot();
        add(slot, id, 1);
        add(slot, id + 1, ((long) string.value().length + DuckTrackSizes.BASE1) & ~(long) DuckTrackSizes.ALIGN);
    }

    /** Counts one that stands for several objects. */
    @ForceInline
    @Hidden
    public static void countSeveral(int objects, int id) {
        long slot = slot();
        add(slot, id, 1);
        total(slot, objects, counterBytes(id));
    }

    /** Adds the bytes of an array. */
    @ForceInline
    @Hidden
    private static void addBytes(int id, long bytes) {
        long slot = slot();
        long word = slot + (SHARED + ((long) id << 3));
        U.putLong(null, word, U.getLong(null, word) + bytes);
        if (TOTALS) {
            totalBytes(slot, bytes);
        }
    }

    /** Adds boxes: one, or none. */
    @ForceInline
    @Hidden
    private static void addBoxes(int id, long boxes) {
        long slot = slot();
        add(slot, id, boxes);
        total(slot, boxes, boxes * counterBytes(id));
    }

    // Bytes of an array of n elements of 1, 2, 4, 8 bytes or references.

    @ForceInline
    @Hidden
    public static void addBytesOf1(int n, int id) {
        addBytes(id, ((long) n + DuckTrackSizes.BASE1) & ~(long) DuckTrackSizes.ALIGN);
    }

    @ForceInline
    @Hidden
    public static void addBytesOf2(int n, int id) {
        addBytes(id, (((long) n << 1) + DuckTrackSizes.BASE2) & ~(long) DuckTrackSizes.ALIGN);
    }

    @ForceInline
    @Hidden
    public static void addBytesOf4(int n, int id) {
        addBytes(id, (((long) n << 2) + DuckTrackSizes.BASE4) & ~(long) DuckTrackSizes.ALIGN);
    }

    @ForceInline
    @Hidden
    public static void addBytesOf8(int n, int id) {
        addBytes(id, (((long) n << 3) + DuckTrackSizes.BASE8) & ~(long) DuckTrackSizes.ALIGN);
    }

    @ForceInline
    @Hidden
    public static void addBytesOfReferences(int n, int id) {
        addBytes(id, (((long) n << DuckTrackSizes.SHIFTR) + DuckTrackSizes.BASER) & ~(long) DuckTrackSizes.ALIGN);
    }

    /** Counts an array's length in one of 33 counters from id on: 0, 1, 2-3, 4-7, ... */
    @ForceInline
    @Hidden
    public static void countLength(int n, int id) {
        add(slot(), id + 32 - Integer.numberOfLeadingZeros(n), 1);
    }

    // Boxing allocates outside the caches only: one bit, without a branch.

    @ForceInline
    @Hidden
    public static void countInteger(int value, int id) {
        long fromLowest = (long) value + 128;
        addBoxes(id, (fromLowest | (INTEGER_CACHE_TOP + 128 - fromLowest)) >>> 63);
    }

    /** Short and Long have a cache of fixed size. */
    @ForceInline
    @Hidden
    public static void countLong(long value, int id) {
        long fromLowest = value + 128;
        addBoxes(id, (fromLowest | (255 - fromLowest)) >>> 63);
    }

    @ForceInline
    @Hidden
    public static void countShort(int value, int id) {
        countLong(value, id);
    }

    @ForceInline
    @Hidden
    public static void countCharacter(int value, int id) {
        addBoxes(id, (127 - (long) value) >>> 63);
    }

    /**
     * Counts the levels of a {@code multianewarray}: counters id and id + 1 take the count and the bytes of the outermost level,
     * the next two those of the level below, and so on. {@code element} is what the last level holds, as in descriptors.
     * Without a call once it is compiled: a call could find that the stack has ended.
     */
    @ForceInline
    @Hidden
    public static void countLevels(Object array, int levelsAndElement, int id) {
        long slot = slot();
        long count = 1;
        for (int level = levelsAndElement >> 8; level > 1; level--, id += 2) {
            Object[] arrays = (Object[]) array;
            level(slot, id, count, count * DuckTrackSizes.levelBytes(arrays.length, 4));
            if (arrays.length == 0) {
                return;
            }
            count *= arrays.length;
            array = arrays[0];
        }
        int element = levelsAndElement & 0xff;
        level(slot, id, count, count * DuckTrackSizes.levelBytes(DuckTrackSizes.length(array, element), DuckTrackSizes.kind(element)));
    }

    @ForceInline
    @Hidden
    private static void level(long slot, int id, long count, long bytes) {
        add(slot, id, count);
        add(slot, id + 1, bytes);
        total(slot, count, bytes);
    }
}
