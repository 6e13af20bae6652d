package java.lang;

import java.lang.reflect.Array;
import java.lang.reflect.Constructor;
import jdk.internal.misc.Unsafe;
import jdk.internal.vm.annotation.DontInline;
import jdk.internal.vm.annotation.ForceInline;
import jdk.internal.vm.annotation.Hidden;

/**
 * What instrumented code calls for objects that are filed under the call site that is to blame, or under their class.
 *
 * <pre>
 * entry:  4 words: key (note + 32 * site, bit 0 set where the class is a part of the key), klass or 0, count, bytes
 * </pre>
 */
public final class DuckTrackKeyed {
    private static final Unsafe U = Unsafe.getUnsafe();

    private static final long TABLE = DuckTrack.SHARED + DuckTrack.constant(DuckTrackLayout.ASK_KEYED);
    private static final long KEYED_MASK = DuckTrack.constant(DuckTrackLayout.ASK_KEYED_MASK);
    /** By site: the bytes of an object. */
    private static final long SITE_BYTES = DuckTrack.constant(DuckTrackLayout.ASK_SITE_BYTES);
    private static final long IN_USE = DuckTrack.SHARED + DuckTrackLayout.KEYED_IN_USE;
    private static final long GROW_AT = DuckTrack.SHARED + DuckTrackLayout.KEYED_LIMIT;
    private static final long ABSENT = DuckTrack.SHARED + DuckTrackLayout.KEYED_ABSENT;
    private static final long TYPED = 1;

    private DuckTrackKeyed() {}

    /** The keyed entries of a block get a larger table. Called by the only thread that writes there. */
    static native void grow(long slot);

    /** Counts one object of known class, filed under the call site under way. */
    @ForceInline
    @Hidden
    public static void object(int site) {
        keyed(DuckTrack.slot(), site, 0);
    }

    /** Counts an array of n elements whose bytes are given, filed under the call site under way. */
    @ForceInline
    @Hidden
    private static void array(long bytes, int site) {
        keyed(DuckTrack.slot(), site, bytes);
    }

    @ForceInline
    @Hidden
    public static void arrayOf1(int n, int site) {
        array(((long) n + DuckTrackSizes.BASE1) & ~(long) DuckTrackSizes.ALIGN, site);
    }

    @ForceInline
    @Hidden
    public static void arrayOf2(int n, int site) {
        array((((long) n << 1) + DuckTrackSizes.BASE2) & ~(long) DuckTrackSizes.ALIGN, site);
    }

    @ForceInline
    @Hidden
    public static void arrayOf4(int n, int site) {
        array((((long) n << 2) + DuckTrackSizes.BASE4) & ~(long) DuckTrackSizes.ALIGN, site);
    }

    @ForceInline
    @Hidden
    public static void arrayOf8(int n, int site) {
        array((((long) n << 3) + DuckTrackSizes.BASE8) & ~(long) DuckTrackSizes.ALIGN, site);
    }

    @ForceInline
    @Hidden
    public static void arrayOfReferences(int n, int site) {
        array((((long) n << DuckTrackSizes.SHIFTR) + DuckTrackSizes.BASER) & ~(long) DuckTrackSizes.ALIGN, site);
    }

    /** Counts an object whose class only the run knows. Inlined, so the object does not escape by it. */
    @ForceInline
    @Hidden
    public static void byClass(Object object, int site) {
        object(DuckTrack.slot(), 0, site, object);
    }

    /** The same, filed under the call site under way. */
    @ForceInline
    @Hidden
    public static void byClassForCaller(Object object, int site) {
        long slot = DuckTrack.slot();
        object(slot, U.getLong(null, slot + DuckTrackCallers.NOTE), site, object);
    }

    /** The same for {@code DirectMethodHandle.allocateInstance}: lambdas are counted where they are written. */
    @ForceInline
    @Hidden
    public static void byClassUnlessHidden(Object object, int site) {
        if (!DuckTrack.HAVE_HIDDEN || !object.getClass().isHidden()) {
            byClassForCaller(object, site);
        }
    }

    /** The same for {@code Array.newArray}, unless the method that called {@code Array.newInstance} counts for itself. */
    @ForceInline
    @Hidden
    public static void byClassUnlessCounted(Object object, int site) {
        long slot = DuckTrack.slot();
        long note = U.getLong(null, slot + DuckTrackCallers.NOTE);
        if (note != DuckTrackCallers.note(DuckTrackCallers.COUNTED)) {
            object(slot, note, site, object);
        }
    }

    /** The same for a method that returns its last argument where that is large enough, and else a new array. Filed under the class. */
    @ForceInline
    @Hidden
    public static void byClassUnlessPassed(Object object, Object passed, int site) {
        if (object != passed) {
            byClass(object, site);
        }
    }

    /**
     * Before native code makes an object and calls its constructor: counts it, as it is made even if the constructor throws. Gives 0
     * if it could not be told that it will be made.
     */
    @Hidden
    public static int beforeConstructor(Constructor<?> constructor, int site) {
        Class<?> type = constructor.getDeclaringClass();
        if ((type.getModifiers() & (DuckTrack.ABSTRACT | DuckTrack.INTERFACE)) != 0) {
            return 0;
        }
        if (U.shouldBeInitialized(type)) {
            // As the native code would do next, with the same exceptions.
            U.ensureClassInitialized(type);
        }
        long klass = DuckTrack.klassOf(type);
        long slot = DuckTrack.slot();
        made(slot, U.getLong(null, slot + DuckTrackCallers.NOTE), site, klass, type, 1, U.getInt(null, klass + DuckTrackSizes.LAYOUT_HELPER) & ~7);
        return 1;
    }

    /** After it: counts the object if it is not counted yet. */
    @Hidden
    public static void afterConstructor(Object object, int site, int counted) {
        if (counted == 0) {
            byClassForCaller(object, site);
        }
    }

    /** The same for {@code invokevirtual Object.clone}: a class that overrides it is counted in its own clone. */
    @ForceInline
    @Hidden
    public static void byClassUnlessOverridden(Object object, int site) {
        Class<?> type = object.getClass();
        if (type.isArray() || DuckTrack.inheritsClone(type)) {
            byClass(object, site);
        }
    }

    /** The same for an array with all its levels, filed under the call site under way. */
    @DontInline
    @Hidden
    public static void allLevels(Object array, int site) {
        long slot = DuckTrack.slot();
        long note = U.getLong(null, slot + DuckTrackCallers.NOTE);
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
    public static void stackTrace(Object backtrace, int site) {
        long slot = DuckTrack.slot();
        long note = U.getLong(null, slot + DuckTrackCallers.NOTE);
        for (Object[] part = DuckTrackStackTrace.part(backtrace); part != null; part = DuckTrackStackTrace.nextPart(part)) {
            for (int i = 0; i < DuckTrackStackTrace.arraysOf(part); i++) {
                Object array = DuckTrackStackTrace.arrayOf(part, i);
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
        long klass = DuckTrack.klassOf(type);
        made(slot, note, site, klass, type, count, count * DuckTrackSizes.size(array, U.getInt(null, klass + DuckTrackSizes.LAYOUT_HELPER)));
    }

    @ForceInline
    @Hidden
    private static void object(long slot, long note, int site, Object object) {
        Class<?> type = object.getClass();
        long klass = DuckTrack.klassOf(type);
        long bytes = DuckTrackSizes.size(object, U.getInt(null, klass + DuckTrackSizes.LAYOUT_HELPER));
        DuckTrack.total(slot, 1, bytes);
        long key = key(note, site) | TYPED;
        long entry = slot + TABLE + place(key, klass, mask(slot));
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
        search(DuckTrack.slot(), note, site, DuckTrack.klassOf(type), type, 1, bytes);
    }

    @DontInline
    @Hidden
    private static void searchKeyed(int site, long bytes) {
        long slot = DuckTrack.slot();
        search(slot, U.getLong(null, slot + DuckTrackCallers.NOTE), site, 0, null, 1, bytes);
    }

    @ForceInline
    private static long siteBytes(int site) {
        return DuckTrack.TOTALS ? U.getLong(null, SITE_BYTES + ((long) site << 3)) : 0;
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
        DuckTrack.total(slot, 1, bytes == 0 ? siteBytes(site) : bytes);
        long key = key(U.getLong(null, slot + DuckTrackCallers.NOTE), site);
        long entry = slot + TABLE + place(key, 0, mask(slot));
        if (U.getLong(null, entry) != key) {
            searchKeyed(site, bytes);
        } else if (bytes == 0) {
            U.putLong(null, entry + 16, U.getLong(null, entry + 16) + 1);
        } else {
            file(entry, 1, bytes);
        }
    }

    /**
     * What is filed under a note at a site. Given the note, no other site has it: the lower half of no note and no site is so large that
     * their sum is a carry.
     */
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
        return KEYED_MASK - U.getLong(null, slot + ABSENT);
    }

    /** Counts {@code count} objects of a class. */
    @DontInline
    @Hidden
    static void made(long slot, long note, int site, long klass, Class<?> type, long count, long bytes) {
        DuckTrack.total(slot, count, bytes);
        search(slot, note, site, klass, type, count, bytes);
    }

    @DontInline
    @Hidden
    private static void search(long slot, long note, int site, long klass, Class<?> type, long count, long bytes) {
        long table = slot + TABLE;
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
                    // Before the entry is there: the process may be killed in between, and then only the agent's file says what the class
                    // is.
                    DuckTrack.firstSeen(type, klass);
                }
                U.putLong(null, entry + 8, klass);
                U.putLong(null, entry + 16, count);
                U.putLong(null, entry + 24, bytes);
                U.storeFence();
                U.putLong(null, entry, key);
                DuckTrack.add(slot, (int) (DuckTrackLayout.KEYED_IN_USE / 8), 1);
                if (U.getLong(null, slot + IN_USE) == U.getLong(null, slot + GROW_AT)) {
                    grow(slot);
                }
                return;
            }
            offset = (offset + 32) & mask;
        }
        DuckTrack.add(slot, (int) (DuckTrackLayout.KEYED_LOST / 8), count);
        DuckTrack.add(slot, (int) (DuckTrackLayout.KEYED_LOST_BYTES / 8), bytes);
    }
}
