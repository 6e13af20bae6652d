package java.lang;

import jdk.internal.misc.Unsafe;
import jdk.internal.vm.annotation.ForceInline;
import jdk.internal.vm.annotation.Hidden;

/** Writes the words of events at a place of a buffer, and gives the place after them. The crate {@code trace-format} has their meaning. */
final class DuckTrackEventWords {
    private static final Unsafe U = Unsafe.getUnsafe();

    private static final int AT = DuckTrackLayout.EVENT_AT << 12;
    private static final int OUTSIDE = DuckTrackLayout.EVENT_OUTSIDE << 12;
    private static final int ARRAY = DuckTrackLayout.EVENT_ARRAY << 12;
    static final int GAP = DuckTrackLayout.EVENT_GAP << 12;
    private static final int NOTHING = DuckTrackLayout.EVENT_NOTHING << 12;
    private static final int TYPED = DuckTrackLayout.EVENT_TYPED << 12;
    private static final int CALLER = DuckTrackLayout.EVENT_CALLER << 12;
    static final int LEVELS = DuckTrackLayout.EVENT_LEVELS << 12;
    static final int DROP = DuckTrackLayout.EVENT_DROPPED << 12;
    private static final int STRADDLE = DuckTrackLayout.EVENT_STRADDLE << 12;
    private static final int ELIMINATED = DuckTrackLayout.EVENT_ELIMINATED << 12;
    static final int MOVED = DuckTrackLayout.EVENT_MOVED << 12;
    private static final int TOP = DuckTrackLayout.EVENT_TOP << 12;
    /** A collection has cut the buffer. */
    static final int SEEN_CUT = DuckTrackLayout.EVENT_IS_CUT;
    /** The top moved by just the arrays of the event. */
    static final int AT_TOP = DuckTrackLayout.EVENT_AT_TOP;
    static final int CLOCK = DuckTrackLayout.EVENT_FIRST_CLOCK << 12;
    /** The VM or native code allocated. */
    static final int VM_BYTES = DuckTrackLayout.EVENT_FIRST_EXTENDED + DuckTrackLayout.EVENT_VM_BYTES << 12 | 2;

    private DuckTrackEventWords() {}

    static void lengths(long cursor, Object array, int levelsAndElement) {
        Object level = array;
        for (int i = levelsAndElement >> 8; i > 0; i--, cursor += 4) {
            int n = level == null ? 0 : i == 1 ? DuckTrackSizes.length(level, levelsAndElement & 0xff) : ((Object[]) level).length;
            U.putInt(null, cursor, n);
            level = i == 1 || n == 0 ? null : ((Object[]) level)[0];
        }
    }

    static long endsAt(long cursor, int site, long bytes, long top, long moved) {
        if (moved != bytes && moved > 0) {
            cursor = put(cursor, MOVED, moved);
        }
        U.putInt(null, cursor, bytes == 0 ? AT : ARRAY);
        U.putInt(null, cursor + 4, site);
        cursor += 8;
        if (bytes != 0) {
            putLong(cursor, bytes);
            cursor += 8;
        }
        putLong(cursor, top);
        return cursor + 8;
    }

    static long outside(long cursor, int site, long bytes, long address, long moved) {
        if (moved != bytes && moved > 0) {
            cursor = put(cursor, MOVED, moved);
        }
        U.putInt(null, cursor, OUTSIDE);
        U.putInt(null, cursor + 4, site);
        putLong(cursor + 8, bytes);
        putLong(cursor + 16, address);
        return cursor + 24;
    }

    static long straddle(long cursor, int site, long bytes, long moved) {
        cursor = put(cursor, MOVED, moved);
        U.putInt(null, cursor, STRADDLE);
        U.putInt(null, cursor + 4, site);
        putLong(cursor + 8, bytes);
        return cursor + 16;
    }

    static long nothing(long cursor, int site, long bytes) {
        if (bytes == 0) {
            U.putInt(null, cursor, site << 12);
            return cursor + 4;
        }
        if ((bytes & DuckTrackEventBuffer.FAR) == 0) {
            U.putInt(null, cursor, NOTHING | (int) bytes >>> 3);
            U.putInt(null, cursor + 4, site);
            return cursor + 8;
        }
        U.putInt(null, cursor, ELIMINATED);
        U.putInt(null, cursor + 4, site);
        putLong(cursor + 8, bytes);
        return cursor + 16;
    }

    /** Where the TLAB stands now, after an event that does not say so. */
    static long newTop(long cursor, boolean cut, long last, long top) {
        return top != 0 && (cut || top != last) ? put(cursor, TOP, top) : cursor;
    }

    /** The call site to blame, if there is one, before its event. */
    @ForceInline
    @Hidden
    static long caller(long cursor, int caller) {
        if (caller <= 0) {
            return cursor;
        }
        U.putInt(null, cursor, CALLER);
        U.putInt(null, cursor + 4, caller);
        return cursor + 8;
    }

    /** The class of an object, before its event. */
    static long typed(long cursor, long klass) {
        return put(cursor, TYPED, klass);
    }

    static long put(long cursor, int operation, long value) {
        U.putInt(null, cursor, operation);
        putLong(cursor + 4, value);
        return cursor + 12;
    }

    /** Words are only aligned to 4 bytes. */
    static void putLong(long cursor, long value) {
        U.putInt(null, cursor, (int) value);
        U.putInt(null, cursor + 4, (int) (value >>> 32));
    }
}
