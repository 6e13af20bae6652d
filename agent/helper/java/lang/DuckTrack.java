package java.lang;

import java.lang.reflect.Array;
import java.lang.reflect.Constructor;
import jdk.internal.misc.Unsafe;
import jdk.internal.vm.annotation.DontInline;
import jdk.internal.vm.annotation.ForceInline;
import jdk.internal.vm.annotation.Hidden;

/**
 * What instrumented code calls. Every method is a few loads and one plain add into the current thread's counter block;
 * nothing here allocates, locks, throws or (but for a key seen for the first time) leaves Java.
 *
 * <p>Every thread has a <em>slot</em> that holds {@code block - SHARED}. An address is {@code slot + (SHARED + offset)}
 * with a constant in the brackets: a thread whose slot is still 0 counts into the shared block, without a test.
 * The agent registers the natives before this class is initialized, so all constants are known to the JIT.
 *
 * <pre>
 * block:  word 0       unused
 *         word 1       the note of the call of a tracked method that is under way, 0 for none
 *         word 2       the mark before an allocation that may never reach the heap
 *         word 3, 4    keyed counts and bytes that found no free entry
 *         word 5       keyed entries in use
 *         word 6       from this many on the table must grow; 0: it does not grow
 *         word 7       bytes of the place of keyed entries that the table as it is does not have
 *         word 8 ...   state of the buffer of allocation events, see {@link DuckTrackEventBuffer}
 *         word 64 ...  counters, one word each
 *         KEYED ...    keyed entries of 4 words: key (note + 32 * site, bit 0 set where the class is a part of the key), klass or 0, count, bytes
 *
 * note: call site &lt;&lt; 32 | where in the table its entries begin, in bytes
 * </pre>
 *
 * <p>A note is a constant where it is written. So what is filed under it finds its entry by one addition, and the sites of a library method are neighbours
 * in the table.
 */
public final class DuckTrack {
    private static final Unsafe U = Unsafe.getUnsafe();

    // The order is that of `constants` in the agent's `helper_class.rs`.
    static final int SLOT_KIND = (int) constant(0);
    private static final long SLOT_OFFSET = constant(1);
    static final long EETOP = constant(2);
    static final long SHARED = constant(3);
    private static final boolean CARRIER = constant(4) != 0;
    private static final long HASH_TABLE = constant(5);
    private static final long HASH_MASK = constant(6);
    private static final long KEYED = constant(7);
    private static final long KEYED_MASK = constant(8);
    static final long KLASS = constant(9);
    static final long LAYOUT_HELPER = constant(10);
    static final long INTEGER_CACHE_TOP = constant(11);
    static final long TLAB_TOP = constant(12);
    static final int ALIGN = (int) constant(13) - 1;
    static final int BASE1 = (int) constant(14) + ALIGN;
    static final int BASE2 = (int) constant(15) + ALIGN;
    static final int BASE4 = (int) constant(16) + ALIGN;
    static final int BASE8 = (int) constant(17) + ALIGN;
    static final int BASER = (int) constant(18) + ALIGN;
    static final int SHIFTR = (int) constant(19);
    static final long ALLOCATED = constant(20);
    /** Whether the thread's totals are kept: what calls bring is asked for. */
    static final boolean TOTALS = constant(27) != 0;
    /** By counter: the bytes that one more stands for. */
    private static final long COUNTER_BYTES = constant(28);
    /** By site: the bytes of an object. */
    private static final long SITE_BYTES = constant(29);

    /** {@code Class.isHidden} is there from JDK 15 on. */
    static final boolean HAVE_HIDDEN = Runtime.version().feature() >= 15;
    /** {@code java.lang.invoke.MethodHandleNatives.Constants.HIDDEN_CLASS} */
    private static final int HIDDEN_CLASS = 2;

    static final int INTERFACE = 0x200;
    static final int ABSTRACT = 0x400;

    /** Instead of a call site: what is allocated is counted by the tracked method that is under way. */
    static final int COUNTED = -1;

    /** Where the totals of the thread are, in the block. */
    static final long TOTAL = SHARED + 48 * 8;
    /** Where the note of the call under way is, in the block. */
    private static final long NOTE = SHARED + 8;
    private static final long TYPED = 1;
    private static final int IN_RESERVED = 0;
    static final int IN_PADDING = 1;

    private DuckTrack() {}

    static native long constant(int which);

    /** A key seen for the first time by this thread: the agent learns the name of the object's class. */
    static native void firstSeen(Class<?> type, long klass);

    /** The keyed entries of a block get a larger table. Called by the only thread that writes there. */
    static native void grow(long slot);

    /** The bytes of a hidden class about to be defined, rewritten; or the same array. */
    private static native byte[] rewriteHidden(byte[] bytes);

    /** Where classes come in that the class file load hook does not see: their bytes with probes, or the same array. */
    @Hidden
    public static byte[] hidden(byte[] bytes, int flags) {
        return (flags & HIDDEN_CLASS) == 0 || bytes == null ? bytes : rewriteHidden(bytes);
    }

    /** Sets the slot of a thread; called by the agent for threads in the padding of their Thread object. */
    static void setSlot(Thread thread, long value) {
        U.putLong(thread, SLOT_OFFSET, value);
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

    @ForceInline
    @Hidden
    static long slot() {
        Thread thread = thread();
        return slot(thread, U.getLong(thread, EETOP));
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
        return U.getLong(null, entry) == eetop ? U.getLong(null, entry + 8) : probe(eetop, entry);
    }

    @DontInline
    @Hidden
    private static long probe(long eetop, long entry) {
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
    private static void add(long slot, int id, long amount) {
        long word = slot + (SHARED + ((long) id << 3));
        U.putLong(null, word, U.getLong(null, word) + amount);
    }

    /** Adds to the thread's totals, where they are kept. */
    @ForceInline
    @Hidden
    private static void total(long slot, long objects, long bytes) {
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

    @ForceInline
    private static long siteBytes(int site) {
        return TOTALS ? U.getLong(null, SITE_BYTES + ((long) site << 3)) : 0;
    }

    /**
     * Claims stack for all that this class does, on entry to a method that counts: if the stack ends, it ends here, before there is
     * anything to count, and not in a probe or in the handler that settles what is owed. Called with 0.
     *
     * <p>The locals make a frame in the interpreter of more than a page. Compiled callers inline this, and nothing is left, because 0
     * is 0; they inline the probes, too. What is compiled of this alone, for callers in the interpreter, must touch the stack as deep as
     * the interpreter would, because it may have to go on there (compiled code cares for frames over a page only): for that
     * it needs a way out, the call.
     */
    @ForceInline
    @Hidden
    public static void e(int zero) {
        long a0, a1, a2, a3, a4, a5, a6, a7, a8, a9;
        long b0, b1, b2, b3, b4, b5, b6, b7, b8, b9;
        long c0, c1, c2, c3, c4, c5, c6, c7, c8, c9;
        long d0, d1, d2, d3, d4, d5, d6, d7, d8, d9;
        long e0, e1, e2, e3, e4, e5, e6, e7, e8, e9;
        long f0, f1, f2, f3, f4, f5, f6, f7, f8, f9;
        long g0, g1, g2, g3, g4, g5, g6, g7, g8, g9;
        long h0, h1, h2, h3, h4, h5, h6, h7, h8, h9;
        long i0, i1, i2, i3, i4, i5, i6, i7, i8, i9;
        long j0, j1, j2, j3, j4, j5, j6, j7, j8, j9;
        long k0, k1, k2, k3, k4, k5, k6, k7, k8, k9;
        long l0, l1, l2, l3, l4, l5, l6, l7, l8, l9;
        long m0, m1, m2, m3, m4, m5, m6, m7, m8, m9;
        long n0, n1, n2, n3, n4, n5, n6, n7, n8, n9;
        long o0, o1, o2, o3, o4, o5, o6, o7, o8, o9;
        long p0, p1, p2, p3, p4, p5, p6, p7, p8, p9;
        long q0, q1, q2, q3, q4, q5, q6, q7, q8, q9;
        long r0, r1, r2, r3, r4, r5, r6, r7, r8, r9;
        long s0, s1, s2, s3, s4, s5, s6, s7, s8, s9;
        long t0, t1, t2, t3, t4, t5, t6, t7, t8, t9;
        long u0, u1, u2, u3, u4, u5, u6, u7, u8, u9;
        long v0, v1, v2, v3, v4, v5, v6, v7, v8, v9;
        long w0, w1, w2, w3, w4, w5, w6, w7, w8, w9;
        long x0, x1, x2, x3, x4, x5, x6, x7, x8, x9;
        long y0, y1, y2, y3, y4, y5, y6, y7, y8, y9;
        long z0, z1, z2, z3, z4, z5, z6, z7, z8, z9;
        if (zero != 0) {
            never();
        }
    }

    @DontInline
    @Hidden
    private static void never() {}

    /** Counts one. */
    @ForceInline
    @Hidden
    public static void c(int id) {
        long slot = slot();
        add(slot, id, 1);
        total(slot, 1, counterBytes(id));
    }

    /** Counts one that stands for several objects. */
    @ForceInline
    @Hidden
    public static void cm(int objects, int id) {
        long slot = slot();
        add(slot, id, 1);
        total(slot, objects, counterBytes(id));
    }

    /** Adds the bytes of an array. */
    @ForceInline
    @Hidden
    private static void bytes(int id, long bytes) {
        long slot = slot();
        add(slot, id, bytes);
        totalBytes(slot, bytes);
    }

    /** Adds boxes: one, or none. */
    @ForceInline
    @Hidden
    private static void boxes(int id, long boxes) {
        long slot = slot();
        add(slot, id, boxes);
        total(slot, boxes, boxes * counterBytes(id));
    }

    // Bytes of an array of n elements of 1, 2, 4, 8 bytes or references.

    @ForceInline
    @Hidden
    public static void l1(int n, int id) {
        bytes(id, ((long) n + BASE1) & ~(long) ALIGN);
    }

    @ForceInline
    @Hidden
    public static void l2(int n, int id) {
        bytes(id, (((long) n << 1) + BASE2) & ~(long) ALIGN);
    }

    @ForceInline
    @Hidden
    public static void l4(int n, int id) {
        bytes(id, (((long) n << 2) + BASE4) & ~(long) ALIGN);
    }

    @ForceInline
    @Hidden
    public static void l8(int n, int id) {
        bytes(id, (((long) n << 3) + BASE8) & ~(long) ALIGN);
    }

    @ForceInline
    @Hidden
    public static void lr(int n, int id) {
        bytes(id, (((long) n << SHIFTR) + BASER) & ~(long) ALIGN);
    }

    /** Counts an array's length in one of 33 counters from id on: 0, 1, 2-3, 4-7, ... */
    @ForceInline
    @Hidden
    public static void h(int n, int id) {
        add(slot(), id + 32 - Integer.numberOfLeadingZeros(n), 1);
    }

    // Boxing allocates outside the caches only: one bit, without a branch.

    @ForceInline
    @Hidden
    public static void bi(int value, int id) {
        long fromLowest = (long) value + 128;
        boxes(id, (fromLowest | (INTEGER_CACHE_TOP + 128 - fromLowest)) >>> 63);
    }

    /** Short and Long have a cache of fixed size. */
    @ForceInline
    @Hidden
    public static void bj(long value, int id) {
        long fromLowest = value + 128;
        boxes(id, (fromLowest | (255 - fromLowest)) >>> 63);
    }

    @ForceInline
    @Hidden
    public static void bs(int value, int id) {
        bj(value, id);
    }

    @ForceInline
    @Hidden
    public static void bc(int value, int id) {
        boxes(id, (127 - (long) value) >>> 63);
    }

    /** The note of a call site. */
    @ForceInline
    private static long note(int callSite) {
        return (long) callSite << 32 | callSite * 0x9E3779B1 >>> 1 & 0x7FFFFFE0;
    }

    /** The call site of a note. */
    @ForceInline
    static int callSite(long note) {
        return (int) (note >>> 32);
    }

    /** Notes the call site that is to blame for what a tracked method allocates; gives the note until then. */
    @ForceInline
    @Hidden
    public static long y(int callSite) {
        long word = slot() + NOTE;
        long outer = U.getLong(null, word);
        U.putLong(null, word, note(callSite));
        return outer;
    }

    /** Notes a call site after another; 0: none is under way. */
    @ForceInline
    @Hidden
    public static void x(int callSite) {
        U.putLong(null, slot() + NOTE, note(callSite));
    }

    /** Sets the note again that {@link #y} gave. */
    @ForceInline
    @Hidden
    public static void z(long note) {
        U.putLong(null, slot() + NOTE, note);
    }

    /** Counts one object of known class, filed under the call site under way. */
    @ForceInline
    @Hidden
    public static void k(int site) {
        keyed(slot(), site, 0);
    }

    /** Counts an array of n elements whose bytes are given, filed under the call site under way. */
    @ForceInline
    @Hidden
    public static void kb(long bytes, int site) {
        keyed(slot(), site, bytes);
    }

    @ForceInline
    @Hidden
    public static void k1(int n, int site) {
        kb(((long) n + BASE1) & ~(long) ALIGN, site);
    }

    @ForceInline
    @Hidden
    public static void k2(int n, int site) {
        kb((((long) n << 1) + BASE2) & ~(long) ALIGN, site);
    }

    @ForceInline
    @Hidden
    public static void k4(int n, int site) {
        kb((((long) n << 2) + BASE4) & ~(long) ALIGN, site);
    }

    @ForceInline
    @Hidden
    public static void k8(int n, int site) {
        kb((((long) n << 3) + BASE8) & ~(long) ALIGN, site);
    }

    @ForceInline
    @Hidden
    public static void kr(int n, int site) {
        kb((((long) n << SHIFTR) + BASER) & ~(long) ALIGN, site);
    }

    /** Counts an object whose class only the run knows. Inlined, so the object does not escape by it. */
    @ForceInline
    @Hidden
    public static void d(Object object, int site) {
        object(slot(), 0, site, object);
    }

    /** The same, filed under the call site under way. */
    @ForceInline
    @Hidden
    public static void dx(Object object, int site) {
        long slot = slot();
        object(slot, U.getLong(null, slot + NOTE), site, object);
    }

    /** The same for {@code DirectMethodHandle.allocateInstance}: lambdas are counted where they are written. */
    @ForceInline
    @Hidden
    public static void dh(Object object, int site) {
        if (!HAVE_HIDDEN || !object.getClass().isHidden()) {
            dx(object, site);
        }
    }

    /** The same for {@code Array.newArray}, unless the method that called {@code Array.newInstance} counts for itself. */
    @ForceInline
    @Hidden
    public static void dn(Object object, int site) {
        long slot = slot();
        long note = U.getLong(null, slot + NOTE);
        if (note != note(COUNTED)) {
            object(slot, note, site, object);
        }
    }

    /**
     * Before native code makes an object and calls its constructor: counts it, as it is made even if the constructor throws. Gives 0
     * if it could not be told that it will be made.
     */
    @Hidden
    public static int dc(Constructor<?> constructor, int site) {
        Class<?> type = constructor.getDeclaringClass();
        if ((type.getModifiers() & (ABSTRACT | INTERFACE)) != 0) {
            return 0;
        }
        if (U.shouldBeInitialized(type)) {
            // As the native code would do next, with the same exceptions.
            U.ensureClassInitialized(type);
        }
        long klass = klassOf(type);
        long slot = slot();
        made(slot, U.getLong(null, slot + NOTE), site, klass, type, 1, U.getInt(null, klass + LAYOUT_HELPER) & ~7);
        return 1;
    }

    /** After it: counts the object if it is not counted yet. */
    @Hidden
    public static void dd(Object object, int site, int counted) {
        if (counted == 0) {
            dx(object, site);
        }
    }

    /** The same for {@code invokevirtual Object.clone}: a class that overrides it is counted in its own clone. */
    @ForceInline
    @Hidden
    public static void da(Object object, int site) {
        if (object.getClass().isArray()) {
            d(object, site);
        }
    }

    /** The same for an array with all its levels, filed under the call site under way. */
    @DontInline
    @Hidden
    public static void dm(Object array, int site) {
        long slot = slot();
        long note = U.getLong(null, slot + NOTE);
        for (long count = 1; array != null; ) {
            arrays(slot, note, site, array, count);
            int n = Array.getLength(array);
            if (n == 0 || !(array instanceof Object[])) {
                return;
            }
            count *= n;
            array = ((Object[]) array)[0];
        }
    }

    /** The arrays of the stack trace that the VM has made for an exception, filed under the call site under way. */
    @DontInline
    @Hidden
    public static void db(Object backtrace, int site) {
        long slot = slot();
        long note = U.getLong(null, slot + NOTE);
        for (Object[] part = part(backtrace); part != null; part = nextPart(part)) {
            for (int i = 0; i < arraysOf(part); i++) {
                Object array = arrayOf(part, i);
                if (array != null) {
                    arrays(slot, note, site, array, 1);
                }
            }
        }
    }

    /** Counts {@code count} arrays of the class and size of this one. */
    @Hidden
    private static void arrays(long slot, long note, int site, Object array, long count) {
        Class<?> type = array.getClass();
        long klass = klassOf(type);
        made(slot, note, site, klass, type, count, count * size(array, U.getInt(null, klass + LAYOUT_HELPER)));
    }

    // A stack trace as the VM makes it (HotSpot's BacktraceBuilder). For every 32 frames it has a part, which is one of
    //   {short[], int[], Object[], long[], next part}                            JDK 11
    //   {short[], int[], Object[], long[], next part, mark}                      JDK 17
    //   {short[], int[], Object[], long[], Object[] or null, next part, mark}    JDK 21, 25
    // and the mark is null or an array that stands elsewhere, too.

    /** The first part; null: there is none, or it is not as those above. */
    static Object[] part(Object backtrace) {
        if (!(backtrace instanceof Object[])) {
            return null;
        }
        Object[] part = (Object[]) backtrace;
        return part.length >= 5 && part.length <= 7 ? part : null;
    }

    /** So many arrays belong to a part: it is the first of them, the others stand in it ahead of the next part. */
    static int arraysOf(Object[] part) {
        return part.length == 7 ? 6 : 5;
    }

    /** One of them, or null. */
    static Object arrayOf(Object[] part, int i) {
        return i == 0 ? part : part[i - 1];
    }

    static Object[] nextPart(Object[] part) {
        return part(part[arraysOf(part) - 1]);
    }

    @ForceInline
    @Hidden
    private static void object(long slot, long note, int site, Object object) {
        Class<?> type = object.getClass();
        long klass = klassOf(type);
        long bytes = size(object, U.getInt(null, klass + LAYOUT_HELPER));
        total(slot, 1, bytes);
        long key = key(note, site) | TYPED;
        long entry = slot + (SHARED + KEYED) + place(key, klass, mask(slot));
        if (U.getLong(null, entry) == key && U.getLong(null, entry + 8) == klass) {
            file(entry, 1, bytes);
        } else {
            searchTyped(type, bytes, note, site);
        }
    }

    // What is rare takes few arguments: every one is code at the probe. And never the object: it would escape.

    @DontInline
    @Hidden
    private static void searchTyped(Class<?> type, long bytes, long note, int site) {
        search(slot(), note, site, klassOf(type), type, 1, bytes);
    }

    @DontInline
    @Hidden
    private static void searchKeyed(int site, long bytes) {
        long slot = slot();
        search(slot, U.getLong(null, slot + NOTE), site, 0, null, 1, bytes);
    }

    /** Bytes of an object by its class's layout helper (HotSpot's {@code Klass::_layout_helper}). */
    @ForceInline
    static long size(Object object, int layoutHelper) {
        if (layoutHelper > 0) {
            return layoutHelper & ~7;
        }
        long header = (layoutHelper >> 16) & 0xff;
        return (((long) Array.getLength(object) << (layoutHelper & 0x3f)) + header + ALIGN) & ~(long) ALIGN;
    }

    /**
     * Counts the levels of a {@code multianewarray}: counters id and id + 1 take the count and the bytes of the outermost level,
     * the next two those of the level below, and so on. {@code element} is what the last level holds, as in descriptors.
     * Without a call once it is compiled: a call could find that the stack has ended.
     */
    @ForceInline
    @Hidden
    public static void m(Object array, int levelsAndElement, int id) {
        long slot = slot();
        long count = 1;
        for (int level = levelsAndElement >> 8; level > 1; level--, id += 2) {
            Object[] arrays = (Object[]) array;
            level(slot, id, count, count * levelBytes(arrays.length, 4));
            if (arrays.length == 0) {
                return;
            }
            count *= arrays.length;
            array = arrays[0];
        }
        int element = levelsAndElement & 0xff;
        level(slot, id, count, count * levelBytes(length(array, element), kind(element)));
    }

    @ForceInline
    @Hidden
    private static void level(long slot, int id, long count, long bytes) {
        add(slot, id, count);
        add(slot, id + 1, bytes);
        total(slot, count, bytes);
    }

    @ForceInline
    @Hidden
    static int length(Object array, int element) {
        switch (element) {
            case 'Z':
                return ((boolean[]) array).length;
            case 'B':
                return ((byte[]) array).length;
            case 'C':
                return ((char[]) array).length;
            case 'S':
                return ((short[]) array).length;
            case 'I':
                return ((int[]) array).length;
            case 'F':
                return ((float[]) array).length;
            case 'J':
                return ((long[]) array).length;
            case 'D':
                return ((double[]) array).length;
            default:
                return ((Object[]) array).length;
        }
    }

    @ForceInline
    @Hidden
    static int kind(int element) {
        switch (element) {
            case 'Z':
            case 'B':
                return 0;
            case 'C':
            case 'S':
                return 1;
            case 'I':
            case 'F':
                return 2;
            case 'J':
            case 'D':
                return 3;
            default:
                return 4;
        }
    }

    /** Kinds 0 to 3: elements of 1, 2, 4, 8 bytes; 4: references. */
    @ForceInline
    @Hidden
    static long levelBytes(int n, int kind) {
        switch (kind) {
            case 0:
                return ((long) n + BASE1) & ~(long) ALIGN;
            case 1:
                return (((long) n << 1) + BASE2) & ~(long) ALIGN;
            case 2:
                return (((long) n << 2) + BASE4) & ~(long) ALIGN;
            case 3:
                return (((long) n << 3) + BASE8) & ~(long) ALIGN;
            default:
                return (((long) n << SHIFTR) + BASER) & ~(long) ALIGN;
        }
    }

    /**
     * What the current thread has allocated so far, as one word that differs after every allocation that reached the heap:
     * in the TLAB its top moves, outside of it the thread's count of allocated bytes.
     */
    @ForceInline
    @Hidden
    private static long mark() {
        long eetop = U.getLong(thread(), EETOP);
        return U.getLong(null, eetop + TLAB_TOP) + 0x9E3779B97F4A7C15L * U.getLong(null, eetop + ALLOCATED);
    }

    /** Before an allocation that may never reach the heap. */
    @ForceInline
    @Hidden
    public static void tb() {
        U.putLong(null, slot() + (SHARED + 16), mark());
    }

    /** After it: counts one if it did. */
    @ForceInline
    @Hidden
    public static void ta(int id) {
        long slot = slot();
        if (U.getLong(null, slot + (SHARED + 16)) != mark()) {
            add(slot, id, 1);
        }
    }

    // The same for boxes: one of a cached value is no new object, whatever was allocated meanwhile (the cache itself, at its first use) and whatever
    // else has moved the mark (a collection).

    @ForceInline
    @Hidden
    public static void ti(Integer box, int id) {
        long fromLowest = (long) box.intValue() + 128;
        if ((fromLowest | (INTEGER_CACHE_TOP + 128 - fromLowest)) < 0) {
            ta(id);
        }
    }

    @ForceInline
    @Hidden
    public static void tj(Long box, int id) {
        outsideOfCache(box.longValue(), id);
    }

    @ForceInline
    @Hidden
    public static void ts(Short box, int id) {
        outsideOfCache(box.shortValue(), id);
    }

    @ForceInline
    @Hidden
    private static void outsideOfCache(long value, int id) {
        long fromLowest = value + 128;
        if ((fromLowest | (255 - fromLowest)) < 0) {
            ta(id);
        }
    }

    @ForceInline
    @Hidden
    public static void tc(Character box, int id) {
        if (box.charValue() > 127) {
            ta(id);
        }
    }

    /** The same for an array of n elements of a kind as in {@link #levelBytes}: id takes the count, id + 1 the bytes. */
    @ForceInline
    @Hidden
    public static void tn(int n, int kind, int id) {
        long slot = slot();
        if (U.getLong(null, slot + (SHARED + 16)) != mark()) {
            add(slot, id, 1);
            add(slot, id + 1, levelBytes(n, kind));
        }
    }

    @ForceInline
    @Hidden
    private static void file(long entry, long count, long bytes) {
        U.putLong(null, entry + 16, U.getLong(null, entry + 16) + count);
        U.putLong(null, entry + 24, U.getLong(null, entry + 24) + bytes);
    }

    @ForceInline
    @Hidden
    private static void keyed(long slot, int site, long bytes) {
        total(slot, 1, bytes == 0 ? siteBytes(site) : bytes);
        long key = key(U.getLong(null, slot + NOTE), site);
        long entry = slot + (SHARED + KEYED) + place(key, 0, mask(slot));
        if (U.getLong(null, entry) != key) {
            searchKeyed(site, bytes);
        } else if (bytes == 0) {
            U.putLong(null, entry + 16, U.getLong(null, entry + 16) + 1);
        } else {
            file(entry, 1, bytes);
        }
    }

    /** What is filed under a note at a site. Given the note, no other site has it: the lower half of no note and no site is so large that their sum is a carry. */
    @ForceInline
    private static long key(long note, int site) {
        return note + ((long) site << 5);
    }

    /** Where to look first, in a table that has this mask. */
    @ForceInline
    private static long place(long key, long klass, long mask) {
        return key + klass * 0x2545F491L & mask;
    }

    /** Bits of the place of an entry in a block's table, which begins small and grows. */
    @ForceInline
    private static long mask(long slot) {
        return KEYED_MASK - U.getLong(null, slot + (SHARED + 56));
    }

    /** Counts {@code count} objects of a class. */
    @DontInline
    @Hidden
    static void made(long slot, long note, int site, long klass, Class<?> type, long count, long bytes) {
        total(slot, count, bytes);
        search(slot, note, site, klass, type, count, bytes);
    }

    @DontInline
    @Hidden
    private static void search(long slot, long note, int site, long klass, Class<?> type, long count, long bytes) {
        long table = slot + (SHARED + KEYED);
        long key = key(note, site) | (type == null ? 0 : TYPED);
        long mask = mask(slot);
        long offset = place(key, klass, mask);
        for (int probes = 0; probes < 256; probes++) {
            long entry = table + offset;
            long found = U.getLong(null, entry);
            if (found == key && U.getLong(null, entry + 8) == klass) {
                file(entry, count, bytes);
                return;
            }
            if (found == 0) {
                if (type != null) {
                    // Before the entry is there: the process may be killed in between, and then only the agent's file says what the class is.
                    firstSeen(type, klass);
                }
                U.putLong(null, entry + 8, klass);
                U.putLong(null, entry + 16, count);
                U.putLong(null, entry + 24, bytes);
                U.storeFence();
                U.putLong(null, entry, key);
                add(slot, 5, 1);
                if (U.getLong(null, slot + (SHARED + 40)) == U.getLong(null, slot + (SHARED + 48))) {
                    grow(slot);
                }
                return;
            }
            offset = (offset + 32) & mask;
        }
        add(slot, 3, count);
        add(slot, 4, bytes);
    }
}
