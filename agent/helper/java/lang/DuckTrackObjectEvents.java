package java.lang;

import java.lang.reflect.Array;
import java.lang.reflect.Constructor;
import jdk.internal.misc.Unsafe;
import jdk.internal.vm.annotation.DontInline;
import jdk.internal.vm.annotation.ForceInline;
import jdk.internal.vm.annotation.Hidden;

/** What instrumented code and the agent call for events of objects whose class only the run knows. */
public final class DuckTrackObjectEvents {
    private static final Unsafe U = Unsafe.getUnsafe();

    private static final long EETOP = DuckTrack.EETOP;
    private static final long SHARED = DuckTrack.SHARED;
    private static final long TLAB_TOP = DuckTrack.TLAB_TOP;
    private static final long ADDRESS_BITS = DuckTrack.ADDRESS_BITS;
    /** A table of classes whose names the agent knows, by address. */
    private static final long SEEN = DuckTrack.constant(DuckTrackLayout.ASK_SEEN_CLASSES);
    private static final long SEEN_MASK = DuckTrack.constant(DuckTrackLayout.ASK_SEEN_CLASSES_MASK);

    private static final long LAST = DuckTrackLayout.LAST;
    private static final long CURSOR = DuckTrackLayout.CURSOR;
    private static final int BY_TOP = DuckTrackEventBuffer.BY_TOP;
    private static final int ADDRESSED = DuckTrackEventBuffer.ADDRESSED;
    private static final int ELSEWHERE = DuckTrackEventBuffer.ELSEWHERE;

    private DuckTrackObjectEvents() {}

    /** An object whose class only the run knows. */
    @ForceInline
    @Hidden
    public static void byClass(Object object, int site) {
        measured(object, site, 0);
    }

    /** The same, filed under the call site under way. */
    @ForceInline
    @Hidden
    public static void byClassForCaller(Object object, int site) {
        measured(object, site, DuckTrackEvents.callSite());
    }

    /** The same for {@code DirectMethodHandle.allocateInstance}: lambdas are recorded where they are written. */
    @ForceInline
    @Hidden
    public static void byClassUnlessHidden(Object object, int site) {
        if (!DuckTrack.HAVE_HIDDEN || !object.getClass().isHidden()) {
            byClassForCaller(object, site);
        }
    }

    /** The same for {@code Array.newArray}, unless the method that called {@code Array.newInstance} records for itself. */
    @ForceInline
    @Hidden
    public static void byClassUnlessCounted(Object object, int site) {
        int caller = DuckTrackEvents.callSite();
        if (caller != DuckTrackCallers.COUNTED) {
            measured(object, site, caller);
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

    /** The same for {@code invokevirtual Object.clone}: a class that overrides it is recorded in its own clone. */
    @ForceInline
    @Hidden
    public static void byClassUnlessOverridden(Object object, int site) {
        Class<?> type = object.getClass();
        if (type.isArray() || DuckTrack.inheritsClone(type)) {
            byClass(object, site);
        }
    }

    @ForceInline
    @Hidden
    private static void measured(Object object, int site, int caller) {
        Class<?> type = object.getClass();
        long bytes = DuckTrackSizes.size(object, U.getInt(null, DuckTrack.klassOf(type) + DuckTrackSizes.LAYOUT_HELPER));
        if (bytes < DuckTrackEvents.LARGE) {
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
    public static int beforeConstructor(Constructor<?> constructor, int site) {
        Class<?> type = constructor.getDeclaringClass();
        if ((type.getModifiers() & (DuckTrack.ABSTRACT | DuckTrack.INTERFACE)) != 0) {
            return 0;
        }
        if (U.shouldBeInitialized(type)) {
            // As the native code would do next, with the same exceptions.
            U.ensureClassInitialized(type);
        }
        long klass = known(type);
        DuckTrackEventBuffer.ahead(klass, U.getInt(null, klass + DuckTrackSizes.LAYOUT_HELPER) & ~7, site, DuckTrackEvents.callSite());
        return 1;
    }

    /** After it: records the object if it is not recorded yet. */
    @Hidden
    public static void afterConstructor(Object object, int site, int recorded) {
        if (recorded == 0) {
            byClassForCaller(object, site);
        }
    }

    /** An array with all its levels, filed under the call site under way. */
    @DontInline
    @Hidden
    public static void allLevels(Object array, int site) {
        long total = 0;
        long count = 1;
        for (Object level = array; level != null; level = below(level)) {
            total += count * bytesOf(level);
            count *= Array.getLength(level);
        }
        int caller = DuckTrackEvents.callSite();
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
    public static void stackTrace(Object backtrace, int site) {
        Object[] first = DuckTrackStackTrace.part(backtrace);
        long others = first == null ? 0 : -bytesOf(first);
        for (Object[] part = first; part != null; part = DuckTrackStackTrace.nextPart(part)) {
            for (int i = 0; i < DuckTrackStackTrace.arraysOf(part); i++) {
                Object array = DuckTrackStackTrace.arrayOf(part, i);
                others += array == null ? 0 : bytesOf(array);
            }
        }
        int caller = DuckTrackEvents.callSite();
        for (Object[] part = first; part != null; part = DuckTrackStackTrace.nextPart(part)) {
            for (int i = 0; i < DuckTrackStackTrace.arraysOf(part); i++) {
                Object array = DuckTrackStackTrace.arrayOf(part, i);
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
        return DuckTrackSizes.size(object, U.getInt(null, DuckTrack.klassOf(object.getClass()) + DuckTrackSizes.LAYOUT_HELPER));
    }

    /** An object made by native code. */
    @Hidden
    public static void fromNative(Object object, int site) {
        DuckTrackEventBuffer.write(site, bytesOf(object), known(object.getClass()), 0, object, ADDRESSED, 0);
    }

    /** A string and the array in it, made by native code. */
    @Hidden
    public static void stringFromNative(Object string, Object value, int site) {
        long others = bytesOf(value);
        DuckTrackEventBuffer.write(site, bytesOf(string), known(string.getClass()), 0, string, ADDRESSED, others);
        DuckTrackEventBuffer.write(site, others, known(value.getClass()), 0, value, ADDRESSED, 0);
    }

    /** An object made by native code that is gone. */
    @Hidden
    public static void goneFromNative(Class<?> type, long bytes, int site) {
        DuckTrackEventBuffer.write(site, bytes, known(type), 0, null, ELSEWHERE, 0);
    }

    /** The address of a class whose name the agent knows. */
    @Hidden
    private static long known(Class<?> type) {
        long klass = DuckTrack.klassOf(type);
        if (U.getLong(null, seenPlace(klass)) != klass) {
            DuckTrack.firstSeen(type, klass);
        }
        return klass;
    }

    /** Where the table of classes has this one, if it has it. */
    @ForceInline
    @Hidden
    private static long seenPlace(long klass) {
        return SEEN + ((klass ^ klass >>> 7) & SEEN_MASK);
    }

    /**
     * An event that says its class. The word of its site comes last, after its caller and its class. A call, because such sites are few and
     * this is much code.
     */
    @DontInline
    @Hidden
    private static void typed(Class<?> type, long bytes, int site, int caller) {
        Thread thread = DuckTrack.thread();
        long eetop = U.getLong(thread, EETOP);
        long block = DuckTrack.slot(thread, eetop) + SHARED;
        long top = U.getLong(null, eetop + TLAB_TOP) & ADDRESS_BITS;
        long cursor = U.getLong(null, block + CURSOR);
        long delta = top - U.getLong(null, block + LAST);
        long klass = DuckTrack.klassOf(type);
        if ((DuckTrackEvents.obstacles(eetop, block, delta, cursor) | (delta ^ bytes) | (U.getLong(null, seenPlace(klass)) ^ klass)) == 0) {
            cursor = DuckTrackEventWords.typed(DuckTrackEventWords.caller(cursor, caller), klass);
            U.putInt(null, cursor, site << 12 | (int) delta >>> 3);
            U.putLong(null, block + CURSOR, cursor + 4);
            U.putLong(null, block + LAST, top);
        } else {
            DuckTrackEventBuffer.write(site, bytes, known(type), caller, null, BY_TOP, 0);
        }
    }

    @DontInline
    @Hidden
    private static void slowLargeTyped(Object object, Class<?> type, long bytes, int site, int caller) {
        DuckTrackEventBuffer.write(site, bytes, known(type), caller, object, BY_TOP, 0);
    }
}
