package java.lang;

import java.lang.reflect.Array;
import java.lang.reflect.Constructor;
import jdk.internal.misc.Unsafe;
import jdk.internal.vm.annotation.DontInline;
import jdk.internal.vm.annotation.ForceInline;
import jdk.internal.vm.annotation.Hidden;

/**
 * What instrumented code calls after each allocation when allocations are traced: one event goes to the current thread's buffer.
 *
 * <p>The thread's allocation pointer (the top of its TLAB) tells by how much the thread has moved it since its last event. For most
 * events that is a word of 4 bytes; 0 means that the JIT has eliminated the allocation. The fast path is a few loads, one
 * branch and three stores, never gets the object, and so leaves escape analysis alone. Everything else is in {@link DuckTrackEventBuffer}, which also says
 * what a thread's block holds.
 */
public final class DuckTrackEvents {
    private static final Unsafe U = Unsafe.getUnsafe();

    private static final long EETOP = DuckTrack.EETOP;
    private static final long SHARED = DuckTrack.SHARED;
    private static final long TLAB_TOP = DuckTrack.TLAB_TOP;
    private static final long ALLOCATED = DuckTrack.ALLOCATED;
    private static final int ALIGN = DuckTrack.ALIGN;
    /** A table of classes whose names the agent knows, by address. */
    private static final long SEEN = DuckTrack.constant(22);
    private static final long SEEN_MASK = DuckTrack.constant(23);

    private static final long NOTE = DuckTrackEventBuffer.NOTE;
    private static final long LAST = DuckTrackEventBuffer.LAST;
    private static final long CURSOR = DuckTrackEventBuffer.CURSOR;
    private static final long LIMIT = DuckTrackEventBuffer.LIMIT;
    private static final long SAVED = DuckTrackEventBuffer.SAVED;
    private static final long FAR = DuckTrackEventBuffer.FAR;
    private static final int BY_TOP = DuckTrackEventBuffer.BY_TOP;
    private static final int ADDRESSED = DuckTrackEventBuffer.ADDRESSED;
    private static final int ELSEWHERE = DuckTrackEventBuffer.ELSEWHERE;

    /** Keys of notes and sites that have one number together (`called_sites` in the agent), 8 bytes each; the number follows from the place. */
    private static final long CALLED = DuckTrack.constant(26);
    private static final long CALLED_PLACES = (1 << 19) - 8;
    /** The word of the first of these numbers. */
    private static final int FIRST_CALLED = 0xB0000 << 12;

    /** Larger arrays are passed, so that their addresses are known where they lie outside of a TLAB. */
    private static final long LARGE = 4096;

    private DuckTrackEvents() {}

    /** What neither is known of the thread's last event nor fits into a word: 0 where the fast path may go on. */
    @ForceInline
    @Hidden
    private static long obstacles(long eetop, long block, long delta, long cursor) {
        long elsewhere = U.getLong(null, eetop + ALLOCATED) ^ U.getLong(null, block + SAVED);
        return (delta | (U.getLong(null, block + LIMIT) - cursor) | elsewhere << 12) & FAR;
    }

    /** An object of the site's class. */
    @ForceInline
    @Hidden
    public static void n(int site) {
        Thread thread = DuckTrack.thread();
        long eetop = U.getLong(thread, EETOP);
        long block = DuckTrack.slot(thread, eetop) + SHARED;
        long top = U.getLong(null, eetop + TLAB_TOP);
        long cursor = U.getLong(null, block + CURSOR);
        long delta = top - U.getLong(null, block + LAST);
        if (obstacles(eetop, block, delta, cursor) == 0) {
            U.putInt(null, cursor, site << 12 | (int) delta >>> 3);
            U.putLong(null, block + CURSOR, cursor + 4);
            U.putLong(null, block + LAST, top);
        } else {
            slow(site);
        }
    }

    /** The same in a tracked method: the call site under way takes the blame. */
    @ForceInline
    @Hidden
    public static void k(int site) {
        Thread thread = DuckTrack.thread();
        long eetop = U.getLong(thread, EETOP);
        long block = DuckTrack.slot(thread, eetop) + SHARED;
        long top = U.getLong(null, eetop + TLAB_TOP);
        long cursor = U.getLong(null, block + CURSOR);
        long delta = top - U.getLong(null, block + LAST);
        long note = U.getLong(null, block + NOTE);
        if (obstacles(eetop, block, delta, cursor) == 0 && haveNumber(note, site)) {
            U.putInt(null, cursor, number(note, site) | (int) delta >>> 3);
            U.putLong(null, block + CURSOR, cursor + 4);
            U.putLong(null, block + LAST, top);
        } else {
            slowForCaller(site);
        }
    }

    /** Where the number of a note and a site is, if they have one. */
    @ForceInline
    @Hidden
    private static long place(long note, int site) {
        return note + ((long) site << 5) >>> 2 & CALLED_PLACES;
    }

    /** Whether a site has a number together with the call site under way, or none is under way. */
    @ForceInline
    @Hidden
    private static boolean haveNumber(long note, int site) {
        return DuckTrack.callSite(note) <= 0 || U.getLong(null, CALLED + place(note, site)) == note + ((long) site << 5);
    }

    /** The word of that number. */
    @ForceInline
    @Hidden
    private static int number(long note, int site) {
        return DuckTrack.callSite(note) <= 0 ? site << 12 : FIRST_CALLED + ((int) place(note, site) << 9);
    }

    /** Writes an event with its caller ahead of it; false: something stands in the way. {@code bytes}: of an array, 0 for an object. */
    @ForceInline
    @Hidden
    private static boolean withCaller(long bytes, int site) {
        Thread thread = DuckTrack.thread();
        long eetop = U.getLong(thread, EETOP);
        long block = DuckTrack.slot(thread, eetop) + SHARED;
        long top = U.getLong(null, eetop + TLAB_TOP);
        long cursor = U.getLong(null, block + CURSOR);
        long delta = top - U.getLong(null, block + LAST);
        if ((obstacles(eetop, block, delta, cursor) | (bytes == 0 ? 0 : delta ^ bytes)) != 0) {
            return false;
        }
        cursor = DuckTrackEventBuffer.caller(cursor, DuckTrack.callSite(U.getLong(null, block + NOTE)));
        U.putInt(null, cursor, site << 12 | (int) delta >>> 3);
        U.putLong(null, block + CURSOR, cursor + 4);
        U.putLong(null, block + LAST, top);
        return true;
    }

    @ForceInline
    @Hidden
    private static void array(Object array, long bytes, int site) {
        Thread thread = DuckTrack.thread();
        long eetop = U.getLong(thread, EETOP);
        long block = DuckTrack.slot(thread, eetop) + SHARED;
        long top = U.getLong(null, eetop + TLAB_TOP);
        long cursor = U.getLong(null, block + CURSOR);
        long delta = top - U.getLong(null, block + LAST);
        if ((obstacles(eetop, block, delta, cursor) | (delta ^ bytes)) == 0) {
            U.putInt(null, cursor, site << 12 | (int) delta >>> 3);
            U.putLong(null, block + CURSOR, cursor + 4);
            U.putLong(null, block + LAST, top);
        } else if (bytes < LARGE) {
            slowArray(bytes, site);
        } else {
            slowLargeArray(array, bytes, site);
        }
    }

    @ForceInline
    @Hidden
    private static void arrayForCaller(Object array, long bytes, int site) {
        Thread thread = DuckTrack.thread();
        long eetop = U.getLong(thread, EETOP);
        long block = DuckTrack.slot(thread, eetop) + SHARED;
        long top = U.getLong(null, eetop + TLAB_TOP);
        long cursor = U.getLong(null, block + CURSOR);
        long delta = top - U.getLong(null, block + LAST);
        long note = U.getLong(null, block + NOTE);
        if ((obstacles(eetop, block, delta, cursor) | (delta ^ bytes)) == 0 && haveNumber(note, site)) {
            U.putInt(null, cursor, number(note, site) | (int) delta >>> 3);
            U.putLong(null, block + CURSOR, cursor + 4);
            U.putLong(null, block + LAST, top);
        } else if (bytes < LARGE) {
            slowArrayForCaller(bytes, site);
        } else {
            slowLargeArrayForCaller(array, bytes, site);
        }
    }

    // Arrays of n elements of 1, 2, 4, 8 bytes or references.

    @ForceInline
    @Hidden
    public static void a1(Object array, int n, int site) {
        array(array, ((long) n + DuckTrack.BASE1) & ~(long) ALIGN, site);
    }

    @ForceInline
    @Hidden
    public static void a2(Object array, int n, int site) {
        array(array, (((long) n << 1) + DuckTrack.BASE2) & ~(long) ALIGN, site);
    }

    @ForceInline
    @Hidden
    public static void a4(Object array, int n, int site) {
        array(array, (((long) n << 2) + DuckTrack.BASE4) & ~(long) ALIGN, site);
    }

    @ForceInline
    @Hidden
    public static void a8(Object array, int n, int site) {
        array(array, (((long) n << 3) + DuckTrack.BASE8) & ~(long) ALIGN, site);
    }

    @ForceInline
    @Hidden
    public static void ar(Object array, int n, int site) {
        array(array, (((long) n << DuckTrack.SHIFTR) + DuckTrack.BASER) & ~(long) ALIGN, site);
    }

    @ForceInline
    @Hidden
    public static void k1(Object array, int n, int site) {
        arrayForCaller(array, ((long) n + DuckTrack.BASE1) & ~(long) ALIGN, site);
    }

    @ForceInline
    @Hidden
    public static void k2(Object array, int n, int site) {
        arrayForCaller(array, (((long) n << 1) + DuckTrack.BASE2) & ~(long) ALIGN, site);
    }

    @ForceInline
    @Hidden
    public static void k4(Object array, int n, int site) {
        arrayForCaller(array, (((long) n << 2) + DuckTrack.BASE4) & ~(long) ALIGN, site);
    }

    @ForceInline
    @Hidden
    public static void k8(Object array, int n, int site) {
        arrayForCaller(array, (((long) n << 3) + DuckTrack.BASE8) & ~(long) ALIGN, site);
    }

    @ForceInline
    @Hidden
    public static void kr(Object array, int n, int site) {
        arrayForCaller(array, (((long) n << DuckTrack.SHIFTR) + DuckTrack.BASER) & ~(long) ALIGN, site);
    }

    // A box was made if its value is outside of the cache.

    @ForceInline
    @Hidden
    public static void bi(Integer box, int site) {
        long fromLowest = (long) box.intValue() + 128;
        if ((fromLowest | (DuckTrack.INTEGER_CACHE_TOP + 128 - fromLowest)) < 0) {
            n(site);
        }
    }

    @ForceInline
    @Hidden
    public static void bj(Long box, int site) {
        long value = box.longValue();
        if (value < -128 || value > 127) {
            n(site);
        }
    }

    @ForceInline
    @Hidden
    public static void bs(Short box, int site) {
        int value = box.shortValue();
        if (value < -128 || value > 127) {
            n(site);
        }
    }

    @ForceInline
    @Hidden
    public static void bc(Character box, int site) {
        if (box.charValue() > 127) {
            n(site);
        }
    }

    /** An object whose class only the run knows. */
    @ForceInline
    @Hidden
    public static void d(Object object, int site) {
        object(object, site, 0);
    }

    /** The same, filed under the call site under way. */
    @ForceInline
    @Hidden
    public static void dx(Object object, int site) {
        object(object, site, callSite());
    }

    /** The same for {@code DirectMethodHandle.allocateInstance}: lambdas are recorded where they are written. */
    @ForceInline
    @Hidden
    public static void dh(Object object, int site) {
        if (!DuckTrack.HAVE_HIDDEN || !object.getClass().isHidden()) {
            dx(object, site);
        }
    }

    /** The same for {@code Array.newArray}, unless the method that called {@code Array.newInstance} records for itself. */
    @ForceInline
    @Hidden
    public static void dn(Object object, int site) {
        int caller = callSite();
        if (caller != DuckTrack.COUNTED) {
            object(object, site, caller);
        }
    }

    /** The same for {@code invokevirtual Object.clone}: a class that overrides it is recorded in its own clone. */
    @ForceInline
    @Hidden
    public static void da(Object object, int site) {
        if (object.getClass().isArray()) {
            d(object, site);
        }
    }

    @ForceInline
    @Hidden
    private static int callSite() {
        Thread thread = DuckTrack.thread();
        return DuckTrack.callSite(U.getLong(null, DuckTrack.slot(thread, U.getLong(thread, EETOP)) + (SHARED + NOTE)));
    }

    @ForceInline
    @Hidden
    private static void object(Object object, int site, int caller) {
        Class<?> type = object.getClass();
        long bytes = DuckTrack.size(object, U.getInt(null, DuckTrack.klassOf(type) + DuckTrack.LAYOUT_HELPER));
        if (bytes < LARGE) {
            typed(type, bytes, site, caller);
        } else {
            slowLargeTyped(object, type, bytes, site, caller);
        }
    }

    /**
     * Before native code makes an object and calls its constructor: it is made even if the constructor throws, and what the constructor
     * allocates comes after it. Gives 0 if it could not be told that it will be made.
     */
    @Hidden
    public static int dc(Constructor<?> constructor, int site) {
        Class<?> type = constructor.getDeclaringClass();
        if ((type.getModifiers() & (DuckTrack.ABSTRACT | DuckTrack.INTERFACE)) != 0) {
            return 0;
        }
        if (U.shouldBeInitialized(type)) {
            // As the native code would do next, with the same exceptions.
            U.ensureClassInitialized(type);
        }
        long klass = known(type);
        DuckTrackEventBuffer.ahead(klass, U.getInt(null, klass + DuckTrack.LAYOUT_HELPER) & ~7, site, callSite());
        return 1;
    }

    /** After it: records the object if it is not recorded yet. */
    @Hidden
    public static void dd(Object object, int site, int recorded) {
        if (recorded == 0) {
            dx(object, site);
        }
    }

    /** An array with all its levels, filed under the call site under way. */
    @DontInline
    @Hidden
    public static void dm(Object array, int site) {
        long total = 0;
        long count = 1;
        for (Object level = array; level != null; level = below(level)) {
            total += count * bytesOf(level);
            count *= Array.getLength(level);
        }
        int caller = callSite();
        long others = total - bytesOf(array);
        count = 1;
        for (Object level = array; level != null; level = below(level)) {
            long klass = known(level.getClass());
            long bytes = bytesOf(level);
            for (long i = 0; i < count; i++) {
                DuckTrackEventBuffer.write(site, bytes, klass, caller, null, ELSEWHERE, others);
                others = 0;
            }
            count *= Array.getLength(level);
        }
    }

    /** The arrays of the stack trace that the VM has made for an exception, filed under the call site under way. */
    @DontInline
    @Hidden
    public static void db(Object backtrace, int site) {
        Object[] first = DuckTrack.part(backtrace);
        long others = first == null ? 0 : -bytesOf(first);
        for (Object[] part = first; part != null; part = DuckTrack.nextPart(part)) {
            for (int i = 0; i < DuckTrack.arraysOf(part); i++) {
                Object array = DuckTrack.arrayOf(part, i);
                others += array == null ? 0 : bytesOf(array);
            }
        }
        int caller = callSite();
        for (Object[] part = first; part != null; part = DuckTrack.nextPart(part)) {
            for (int i = 0; i < DuckTrack.arraysOf(part); i++) {
                Object array = DuckTrack.arrayOf(part, i);
                if (array != null) {
                    DuckTrackEventBuffer.write(site, bytesOf(array), known(array.getClass()), caller, array, ADDRESSED, others);
                    others = 0;
                }
            }
        }
    }

    private static Object below(Object array) {
        return array instanceof Object[] && ((Object[]) array).length > 0 ? ((Object[]) array)[0] : null;
    }

    private static long bytesOf(Object object) {
        return DuckTrack.size(object, U.getInt(null, DuckTrack.klassOf(object.getClass()) + DuckTrack.LAYOUT_HELPER));
    }

    /** An object made by native code. */
    @Hidden
    public static void j(Object object, int site) {
        DuckTrackEventBuffer.write(site, bytesOf(object), known(object.getClass()), 0, object, ADDRESSED, 0);
    }

    /** A string and the array in it, made by native code. */
    @Hidden
    public static void js(Object string, Object value, int site) {
        long others = bytesOf(value);
        DuckTrackEventBuffer.write(site, bytesOf(string), known(string.getClass()), 0, string, ADDRESSED, others);
        DuckTrackEventBuffer.write(site, others, known(value.getClass()), 0, value, ADDRESSED, 0);
    }

    /** An object made by native code that is gone. */
    @Hidden
    public static void jg(Class<?> type, long bytes, int site) {
        DuckTrackEventBuffer.write(site, bytes, known(type), 0, null, ELSEWHERE, 0);
    }

    /** The address of a class of which the agent knows the name. */
    @Hidden
    private static long known(Class<?> type) {
        long klass = DuckTrack.klassOf(type);
        if (U.getLong(null, seen(klass)) != klass) {
            DuckTrack.firstSeen(type, klass);
        }
        return klass;
    }

    /** Where the table of classes has this one, if it has it. */
    @ForceInline
    @Hidden
    private static long seen(long klass) {
        return SEEN + ((klass ^ klass >>> 7) & SEEN_MASK);
    }

    /**
     * A {@code multianewarray}: {@code site} is that of the outermost level, {@code element} what the last level holds, as in descriptors.
     */
    @ForceInline
    @Hidden
    public static void m(Object array, int levelsAndElement, int site) {
        if (levelsAndElement >> 8 == 2) {
            Object[] outer = (Object[]) array;
            int inner = outer.length == 0 ? 0 : DuckTrack.length(outer[0], levelsAndElement & 0xff);
            two(outer.length, inner, levelsAndElement, site);
        } else {
            many(array, levelsAndElement, site);
        }
    }

    /**
     * An event that says its class. The word of its site comes last, after its caller and its class. A call, because such sites are few and this is much code.
     */
    @DontInline
    @Hidden
    private static void typed(Class<?> type, long bytes, int site, int caller) {
        Thread thread = DuckTrack.thread();
        long eetop = U.getLong(thread, EETOP);
        long block = DuckTrack.slot(thread, eetop) + SHARED;
        long top = U.getLong(null, eetop + TLAB_TOP);
        long cursor = U.getLong(null, block + CURSOR);
        long delta = top - U.getLong(null, block + LAST);
        long klass = DuckTrack.klassOf(type);
        if ((obstacles(eetop, block, delta, cursor) | (delta ^ bytes) | (U.getLong(null, seen(klass)) ^ klass)) == 0) {
            cursor = DuckTrackEventBuffer.typed(DuckTrackEventBuffer.caller(cursor, caller), klass);
            U.putInt(null, cursor, site << 12 | (int) delta >>> 3);
            U.putLong(null, block + CURSOR, cursor + 4);
            U.putLong(null, block + LAST, top);
        } else {
            DuckTrackEventBuffer.write(site, bytes, known(type), caller, null, BY_TOP, 0);
        }
    }

    // What is rare takes few arguments: every one is code at the probe. And never an object that could do without the heap.

    @DontInline
    @Hidden
    private static void slow(int site) {
        DuckTrackEventBuffer.write(site, 0, 0, 0, null, BY_TOP, 0);
    }

    @DontInline
    @Hidden
    private static void slowForCaller(int site) {
        if (withCaller(0, site)) {
            return;
        }
        DuckTrackEventBuffer.write(site, 0, 0, callSite(), null, BY_TOP, 0);
    }

    @DontInline
    @Hidden
    private static void slowArray(long bytes, int site) {
        DuckTrackEventBuffer.write(site, bytes, 0, 0, null, BY_TOP, 0);
    }

    @DontInline
    @Hidden
    private static void slowArrayForCaller(long bytes, int site) {
        if (withCaller(bytes, site)) {
            return;
        }
        DuckTrackEventBuffer.write(site, bytes, 0, callSite(), null, BY_TOP, 0);
    }

    @DontInline
    @Hidden
    private static void slowLargeArray(Object array, long bytes, int site) {
        DuckTrackEventBuffer.write(site, bytes, 0, 0, array, BY_TOP, 0);
    }

    @DontInline
    @Hidden
    private static void slowLargeArrayForCaller(Object array, long bytes, int site) {
        if (withCaller(bytes, site)) {
            return;
        }
        DuckTrackEventBuffer.write(site, bytes, 0, callSite(), array, BY_TOP, 0);
    }

    @DontInline
    @Hidden
    private static void slowLargeTyped(Object object, Class<?> type, long bytes, int site, int caller) {
        DuckTrackEventBuffer.write(site, bytes, known(type), caller, object, BY_TOP, 0);
    }

    @DontInline
    @Hidden
    private static void two(int outer, int inner, int levelsAndElement, int site) {
        long total = DuckTrack.levelBytes(outer, 4);
        total += outer * DuckTrack.levelBytes(inner, DuckTrack.kind(levelsAndElement & 0xff));
        DuckTrackEventBuffer.levels(null, outer, inner, site, 2 << 8, total);
    }

    @DontInline
    @Hidden
    private static void many(Object array, int levelsAndElement, int site) {
        int dimensions = levelsAndElement >> 8;
        int element = levelsAndElement & 0xff;
        long total = 0;
        long count = 1;
        Object level = array;
        for (int i = dimensions; i > 0 && level != null; i--) {
            int n = i == 1 ? DuckTrack.length(level, element) : ((Object[]) level).length;
            total += count * DuckTrack.levelBytes(n, i == 1 ? DuckTrack.kind(element) : 4);
            count *= n;
            level = i == 1 || n == 0 ? null : ((Object[]) level)[0];
        }
        DuckTrackEventBuffer.levels(array, 0, 0, site, levelsAndElement, total);
    }
}
