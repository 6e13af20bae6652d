package java.lang;

import jdk.internal.misc.Unsafe;
import jdk.internal.vm.annotation.DontInline;
import jdk.internal.vm.annotation.ForceInline;
import jdk.internal.vm.annotation.Hidden;

/** What instrumented code calls with {@code witness=full} for references that are copied: by {@code System.arraycopy}, or into an object that is a copy. */
public final class DuckTrackCopies {
    private static final Unsafe U = Unsafe.getUnsafe();

    private DuckTrackCopies() {}

    /** Calls {@link #firstTarget} for each field of an object that is a reference. False: not all fields could be found. */
    private static native boolean fieldsOf(Object copy);

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

    /** Each element that is about to get a new target. What throws, and what may throw on its way, is not recorded. */
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
        } else if (copy != null && !copy.getClass().isArray() && !fieldsOf(copy)) {
            DuckTrackRecords.unseen();
        }
    }

    @Hidden
    static void firstTarget(Object copy, long offset) {
        Object value = U.getReference(copy, offset);
        if (value != null) {
            DuckTrackRecords.record(copy, offset >>> 2, null, value);
        }
    }
}
