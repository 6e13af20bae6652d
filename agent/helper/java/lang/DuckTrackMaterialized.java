package java.lang;

import jdk.internal.misc.Unsafe;
import jdk.internal.vm.annotation.ForceInline;
import jdk.internal.vm.annotation.Hidden;

/** What instrumented code calls around an allocation with {@code record=materialized}: it is counted if it reached the heap. */
public final class DuckTrackMaterialized {
    private static final Unsafe U = Unsafe.getUnsafe();

    private static final long HEAP_MARK = DuckTrack.SHARED + DuckTrackLayout.HEAP_MARK;

    private DuckTrackMaterialized() {}

    /**
     * What the current thread has allocated so far, as one word that differs after every allocation that reached the heap:
     * in the TLAB its top moves, outside of it the thread's count of allocated bytes.
     */
    @ForceInline
    @Hidden
    private static long mark() {
        long eetop = U.getLong(DuckTrack.thread(), DuckTrack.EETOP);
        return U.getLong(null, eetop + DuckTrack.TLAB_TOP) + 0x9E3779B97F4A7C15L * U.getLong(null, eetop + DuckTrack.ALLOCATED);
    }

    /** Before an allocation that may never reach the heap. */
    @ForceInline
    @Hidden
    public static void before() {
        U.putLong(null, DuckTrack.slot() + HEAP_MARK, mark());
    }

    /** After it: counts one if it did. */
    @ForceInline
    @Hidden
    public static void after(int id) {
        long slot = DuckTrack.slot();
        if (U.getLong(null, slot + HEAP_MARK) != mark()) {
            DuckTrack.add(slot, id, 1);
        }
    }

    // The same for boxes: one of a cached value is no new object, whatever was allocated meanwhile (the cache itself, at its first use) and
    // whatever else has moved the mark (a collection).

    @ForceInline
    @Hidden
    public static void afterInteger(Integer box, int id) {
        long fromLowest = (long) box.intValue() + 128;
        if ((fromLowest | (DuckTrack.INTEGER_CACHE_TOP + 128 - fromLowest)) < 0) {
            after(id);
        }
    }

    @ForceInline
    @Hidden
    public static void afterLong(Long box, int id) {
        outsideOfCache(box.longValue(), id);
    }

    @ForceInline
    @Hidden
    public static void afterShort(Short box, int id) {
        outsideOfCache(box.shortValue(), id);
    }

    @ForceInline
    @Hidden
    private static void outsideOfCache(long value, int id) {
        long fromLowest = value + 128;
        if ((fromLowest | (255 - fromLowest)) < 0) {
            after(id);
        }
    }

    @ForceInline
    @Hidden
    public static void afterCharacter(Character box, int id) {
        if (box.charValue() > 127) {
            after(id);
        }
    }

    /** The same for an array of n elements of a kind as in {@link DuckTrackSizes#levelBytes}: id takes the count, id + 1 the bytes. */
    @ForceInline
    @Hidden
    public static void afterArray(int n, int kind, int id) {
        long slot = DuckTrack.slot();
        if (U.getLong(null, slot + HEAP_MARK) != mark()) {
            DuckTrack.add(slot, id, 1);
            DuckTrack.add(slot, id + 1, DuckTrackSizes.levelBytes(n, kind));
        }
    }
}
