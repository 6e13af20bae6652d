package java.lang;

import jdk.internal.misc.Unsafe;
import jdk.internal.vm.annotation.DontInline;
import jdk.internal.vm.annotation.ForceInline;
import jdk.internal.vm.annotation.Hidden;

/**
 * What instrumented code calls after each allocation when allocations are traced: one event goes to the current thread's buffer.
 *
 * <p>The thread's allocation pointer (the top of its TLAB) tells by how much the thread has moved it since its last event. For most events
 * that is a word of 4 bytes; 0 means that the JIT has eliminated the allocation. The fast path is a few loads, one branch and three stores,
 * never gets the object, and so leaves escape analysis alone. Everything else is in {@link DuckTrackEventBuffer}. Objects whose class only
 * the run knows are in {@link DuckTrackObjectEvents}.
 */
public final class DuckTrackEvents {
    private static final Unsafe U = Unsafe.getUnsafe();

    private static final long EETOP = DuckTrack.EETOP;
    private static final long SHARED = DuckTrack.SHARED;
    private static final long TLAB_TOP = DuckTrack.TLAB_TOP;
    private static final long ADDRESS_BITS = DuckTrack.ADDRESS_BITS;
    private static final long ALLOCATED = DuckTrack.ALLOCATED;
    private static final int ALIGN = DuckTrackSizes.ALIGN;

    private static final long NOTE = DuckTrackLayout.NOTE;
    private static final long LAST = DuckTrackLayout.LAST;
    private static final long CURSOR = DuckTrackLayout.CURSOR;
    private static final long LIMIT = DuckTrackLayout.LIMIT;
    private static final long SAVED = DuckTrackLayout.SAVED;
    private static final long FAR = DuckTrackEventBuffer.FAR;
    private static final int BY_TOP = DuckTrackEventBuffer.BY_TOP;

    /**
     * Keys of notes and sites that have one number together (`called_sites` in the agent), 8 bytes each; the number follows from the place.
     */
    private static final long CALLED = DuckTrack.constant(DuckTrackLayout.ASK_CALLED_SITES);
    private static final long CALLED_PLACES = (DuckTrackLayout.EVENT_END_OF_CALLED_SITES - DuckTrackLayout.EVENT_FIRST_CALLED_SITE) * 8 - 8;
    /** The word of the first of these numbers. */
    private static final int FIRST_CALLED = DuckTrackLayout.EVENT_FIRST_CALLED_SITE << 12;

    /** Larger arrays are passed, so that their addresses are known where they lie outside of a TLAB. */
    static final long LARGE = 4096;

    private DuckTrackEvents() {}

    /** What neither is known of the thread's last event nor fits into a word: 0 where the fast path may go on. */
    @ForceInline
    @Hidden
    static long obstacles(long eetop, long block, long delta, long cursor) {
        long elsewhere = U.getLong(null, eetop + ALLOCATED) ^ U.getLong(null, block + SAVED);
        return (delta | (U.getLong(null, block + LIMIT) - cursor) | elsewhere << 12) & FAR;
    }

    /** An object of the site's class. */
    @ForceInline
    @Hidden
    public static void object(int site) {
        Thread thread = DuckTrack.thread();
        long eetop = U.getLong(thread, EETOP);
        long block = DuckTrack.slot(thread, eetop) + SHARED;
        long top = U.getLong(null, eetop + TLAB_TOP) & ADDRESS_BITS;
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
    public static void objectForCaller(int site) {
        Thread thread = DuckTrack.thread();
        long eetop = U.getLong(thread, EETOP);
        long block = DuckTrack.slot(thread, eetop) + SHARED;
        long top = U.getLong(null, eetop + TLAB_TOP) & ADDRESS_BITS;
        long cursor = U.getLong(null, block + CURSOR);
        long delta = top - U.getLong(null, block + LAST);
        long note = U.getLong(null, block + NOTE);
        if (obstacles(eetop, block, delta, cursor) == 0 && hasNumber(note, site)) {
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
    private static long calledPlace(long note, int site) {
        return note + ((long) site << 5) >>> 2 & CALLED_PLACES;
    }

    /** Whether a site has a number together with the call site under way, or none is under way. */
    @ForceInline
    @Hidden
    private static boolean hasNumber(long note, int site) {
        return DuckTrackCallers.callSite(note) <= 0 || U.getLong(null, CALLED + calledPlace(note, site)) == note + ((long) site << 5);
    }

    /** The word of that number. */
    @ForceInline
    @Hidden
    private static int number(long note, int site) {
        return DuckTrackCallers.callSite(note) <= 0 ? site << 12 : FIRST_CALLED + ((int) calledPlace(note, site) << 9);
    }

    /** Writes an event with its caller ahead of it; false: something stands in the way. {@code bytes}: of an array, 0 for an object. */
    @ForceInline
    @Hidden
    private static boolean withCaller(long bytes, int site) {
        Thread thread = DuckTrack.thread();
        long eetop = U.getLong(thread, EETOP);
        long block = DuckTrack.slot(thread, eetop) + SHARED;
        long top = U.getLong(null, eetop + TLAB_TOP) & ADDRESS_BITS;
        long cursor = U.getLong(null, block + CURSOR);
        long delta = top - U.getLong(null, block + LAST);
        if ((obstacles(eetop, block, delta, cursor) | (bytes == 0 ? 0 : delta ^ bytes)) != 0) {
            return false;
        }
        cursor = DuckTrackEventWords.caller(cursor, DuckTrackCallers.callSite(U.getLong(null, block + NOTE)));
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
        long top = U.getLong(null, eetop + TLAB_TOP) & ADDRESS_BITS;
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
        long top = U.getLong(null, eetop + TLAB_TOP) & ADDRESS_BITS;
        long cursor = U.getLong(null, block + CURSOR);
        long delta = top - U.getLong(null, block + LAST);
        long note = U.getLong(null, block + NOTE);
        if ((obstacles(eetop, block, delta, cursor) | (delta ^ bytes)) == 0 && hasNumber(note, site)) {
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
    public static void arrayOf1(Object array, int n, int site) {
        array(array, ((long) n + DuckTrackSizes.BASE1) & ~(long) ALIGN, site);
    }

    @ForceInline
    @Hidden
    public static void arrayOf2(Object array, int n, int site) {
        array(array, (((long) n << 1) + DuckTrackSizes.BASE2) & ~(long) ALIGN, site);
    }

    @ForceInline
    @Hidden
    public static void arrayOf4(Object array, int n, int site) {
        array(array, (((long) n << 2) + DuckTrackSizes.BASE4) & ~(long) ALIGN, site);
    }

    @ForceInline
    @Hidden
    public static void arrayOf8(Object array, int n, int site) {
        array(array, (((long) n << 3) + DuckTrackSizes.BASE8) & ~(long) ALIGN, site);
    }

    @ForceInline
    @Hidden
    public static void arrayOfReferences(Object array, int n, int site) {
        array(array, (((long) n << DuckTrackSizes.SHIFTR) + DuckTrackSizes.BASER) & ~(long) ALIGN, site);
    }

    @ForceInline
    @Hidden
    public static void arrayOf1ForCaller(Object array, int n, int site) {
        arrayForCaller(array, ((long) n + DuckTrackSizes.BASE1) & ~(long) ALIGN, site);
    }

    @ForceInline
    @Hidden
    public static void arrayOf2ForCaller(Object array, int n, int site) {
        arrayForCaller(array, (((long) n << 1) + DuckTrackSizes.BASE2) & ~(long) ALIGN, site);
    }

    @ForceInline
    @Hidden
    public static void arrayOf4ForCaller(Object array, int n, int site) {
        arrayForCaller(array, (((long) n << 2) + DuckTrackSizes.BASE4) & ~(long) ALIGN, site);
    }

    @ForceInline
    @Hidden
    public static void arrayOf8ForCaller(Object array, int n, int site) {
        arrayForCaller(array, (((long) n << 3) + DuckTrackSizes.BASE8) & ~(long) ALIGN, site);
    }

    @ForceInline
    @Hidden
    public static void arrayOfReferencesForCaller(Object array, int n, int site) {
        arrayForCaller(array, (((long) n << DuckTrackSizes.SHIFTR) + DuckTrackSizes.BASER) & ~(long) ALIGN, site);
    }

    // A box was made if its value is outside of the cache.

    @ForceInline
    @Hidden
    public static void boxedInteger(Integer box, int site) {
        long fromLowest = (long) box.intValue() + 128;
        if ((fromLowest | (DuckTrack.INTEGER_CACHE_TOP + 128 - fromLowest)) < 0) {
            object(site);
        }
    }

    @ForceInline
    @Hidden
    public static void boxedLong(Long box, int site) {
        long value = box.longValue();
        if (value < -128 || value > 127) {
            object(site);
        }
    }

    @ForceInline
    @Hidden
    public static void boxedShort(Short box, int site) {
        int value = box.shortValue();
        if (value < -128 || value > 127) {
            object(site);
        }
    }

    @ForceInline
    @Hidden
    public static void boxedCharacter(Character box, int site) {
        if (box.charValue() > 127) {
            object(site);
        }
    }

    @ForceInline
    @Hidden
    static int callSite() {
        Thread thread = DuckTrack.thread();
        return DuckTrackCallers.callSite(U.getLong(null, DuckTrack.slot(thread, U.getLong(thread, EETOP)) + (SHARED + NOTE)));
    }

    /**
     * A {@code multianewarray}: {@code site} is that of the outermost level, {@code element} what the last level holds, as in descriptors.
     */
    @ForceInline
    @Hidden
    public static void levels(Object array, int levelsAndElement, int site) {
        if (levelsAndElement >> 8 == 2) {
            Object[] outer = (Object[]) array;
            int inner = outer.length == 0 ? 0 : DuckTrackSizes.length(outer[0], levelsAndElement & 0xff);
            twoLevels(outer.length, inner, levelsAndElement, site);
        } else {
            manyLevels(array, levelsAndElement, site);
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
    private static void twoLevels(int outer, int inner, int levelsAndElement, int site) {
        long total = DuckTrackSizes.levelBytes(outer, 4);
        total += outer * DuckTrackSizes.levelBytes(inner, DuckTrackSizes.kind(levelsAndElement & 0xff));
        DuckTrackEventBuffer.levels(null, outer, inner, site, 2 << 8, total);
    }

    @DontInline
    @Hidden
    private static void manyLevels(Object array, int levelsAndElement, int site) {
        int dimensions = levelsAndElement >> 8;
        int element = levelsAndElement & 0xff;
        long total = 0;
        long count = 1;
        Object level = array;
        for (int i = dimensions; i > 0 && level != null; i--) {
            int n = i == 1 ? DuckTrackSizes.length(level, element) : ((Object[]) level).length;
            total += count * DuckTrackSizes.levelBytes(n, i == 1 ? DuckTrackSizes.kind(element) : 4);
            count *= n;
            level = i == 1 || n == 0 ? null : ((Object[]) level)[0];
        }
        DuckTrackEventBuffer.levels(array, 0, 0, site, levelsAndElement, total);
    }
}
