package java.lang;

import jdk.internal.misc.Unsafe;
import jdk.internal.vm.annotation.DontInline;
import jdk.internal.vm.annotation.ForceInline;
import jdk.internal.vm.annotation.Hidden;

/**
 * What instrumented code calls with {@code mode=full} for references that are copied: by {@code System.arraycopy}, or into an object that
 * is a copy.
 */
public final class DuckTrackCopies {
    private static final Unsafe U = Unsafe.getUnsafe();

    /**
     * Where a class keeps the number of its oop maps, and the lengths of the tables before them
     * ({@code hotspot/src/classes/class_table/reference_maps.rs}).
     */
    private static final long MAPS = DuckTrackHolders.constant(DuckTrackLayout.ASK_RECORD_MAPS);
    private static final long VTABLE_LENGTH = DuckTrackHolders.constant(DuckTrackLayout.ASK_RECORD_VTABLE_LENGTH);
    private static final long ITABLE_LENGTH = DuckTrackHolders.constant(DuckTrackLayout.ASK_RECORD_ITABLE_LENGTH);
    /** Where the tables of a class begin. 0: the VM does not tell. */
    private static final long TABLES = DuckTrackHolders.constant(DuckTrackLayout.ASK_RECORD_TABLES);
    private static final long REFERENCE = 1L << DuckTrackSizes.SHIFTR;

    private DuckTrackCopies() {}

    /** {@code System.arraycopy} */
    @ForceInline
    @Hidden
    public static void arraycopy(Object from, int fromIndex, Object to, int toIndex, int length) {
        if (to instanceof Object[]) {
            try {
                elements(from, fromIndex, (Object[]) to, toIndex, length);
            } catch (StackOverflowError end) {
                DuckTrackRecords.noStack();
            }
        }
        System.arraycopy(from, fromIndex, to, toIndex, length);
    }

    /** Each element that is about to get a new target. A copy that throws, or may throw on its way, is not recorded. */
    @DontInline
    @Hidden
    private static void elements(Object from, int fromIndex, Object[] to, int toIndex, int length) {
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
            if (!isSure && !DuckTrackRecords.mayHold(to, value)) {
                return;
            }
            Object old = to[toIndex + i];
            if (old != value) {
                DuckTrackWitness.lost(old);
                DuckTrackRecords.record(to, DuckTrackRecords.slot(toIndex + i), old, value);
            }
        }
    }

    /** An array or another object that is a copy; it has its first targets. */
    @ForceInline
    @Hidden
    public static void copied(Object copy) {
        try {
            ofCopy(copy);
        } catch (StackOverflowError end) {
            DuckTrackRecords.noStack();
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
                    DuckTrackRecords.record(elements, DuckTrackRecords.slot(i), null, value);
                }
            }
        } else if (copy != null && !copy.getClass().isArray()) {
            fields(copy);
        }
    }

    /**
     * Each field that is a reference, as the oop maps of the class say: the VM's own functions take a thousand times as long. The class
     * stays where it is while it has an object. The maps leave out the referent of a {@code Reference}, which cannot be cloned.
     */
    @Hidden
    private static void fields(Object copy) {
        if (TABLES == 0) {
            DuckTrackRecords.unseen();
            return;
        }
        long klass = DuckTrack.klassOf(copy.getClass());
        long words = (long) U.getInt(null, klass + VTABLE_LENGTH) + U.getInt(null, klass + ITABLE_LENGTH);
        long map = klass + TABLES + (words << 3);
        for (int maps = U.getInt(null, klass + MAPS); maps > 0; maps--) {
            long offset = U.getInt(null, map);
            for (int left = U.getInt(null, map + 4); left > 0; left--) {
                firstTarget(copy, offset);
                offset += REFERENCE;
            }
            map += 8;
        }
    }

    @Hidden
    private static void firstTarget(Object copy, long offset) {
        Object value = U.getReference(copy, offset);
        if (value != null) {
            DuckTrackRecords.record(copy, offset >>> 2, null, value);
        }
    }
}
