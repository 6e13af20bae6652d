package java.lang;

import java.lang.reflect.Array;
import jdk.internal.vm.annotation.ForceInline;
import jdk.internal.vm.annotation.Hidden;

/** How large objects and arrays are. */
final class DuckTrackSizes {
    static final long LAYOUT_HELPER = DuckTrack.constant(DuckTrackLayout.ASK_LAYOUT_HELPER);
    static final int ALIGN = (int) DuckTrack.constant(DuckTrackLayout.ASK_ALIGNMENT) - 1;
    static final int BASE1 = (int) DuckTrack.constant(DuckTrackLayout.ASK_BASE1) + ALIGN;
    static final int BASE2 = (int) DuckTrack.constant(DuckTrackLayout.ASK_BASE2) + ALIGN;
    static final int BASE4 = (int) DuckTrack.constant(DuckTrackLayout.ASK_BASE4) + ALIGN;
    static final int BASE8 = (int) DuckTrack.constant(DuckTrackLayout.ASK_BASE8) + ALIGN;
    static final int BASER = (int) DuckTrack.constant(DuckTrackLayout.ASK_BASE_REFERENCE) + ALIGN;
    static final int SHIFTR = (int) DuckTrack.constant(DuckTrackLayout.ASK_REFERENCE_SHIFT);

    private DuckTrackSizes() {}

    /** Bytes of an object by its class's layout helper (HotSpot's {@code Klass::_layout_helper}). */
    @ForceInline
    static long size(Object object, int layoutHelper) {
        if (layoutHelper > 0) {
            return layoutHelper & ~7;
        }
        long header = (layoutHelper >> 16) & 0xff;
        return (((long) Array.getLength(object) << (layoutHelper & 0x3f)) + header + ALIGN) & ~(long) ALIGN;
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
}
