package java.lang;

import jdk.internal.misc.Unsafe;
import jdk.internal.vm.annotation.ForceInline;
import jdk.internal.vm.annotation.Hidden;

/**
 * What application code calls instead of {@link DuckTrack} and {@link DuckTrackKeyed}: the same, and what was counted is charged to the
 * code that made it, not to a call that is under way.
 */
public final class DuckTrackOwn {
    private static final Unsafe U = Unsafe.getUnsafe();

    private static final long TOTAL = DuckTrack.TOTAL;
    private static final long CHARGED = DuckTrack.SHARED + DuckTrackLayout.CHARGED_OBJECTS;

    private DuckTrackOwn() {}

    /** What of the thread's totals is not charged. */
    @ForceInline
    @Hidden
    private static long open(long slot, int unit) {
        return U.getLong(null, slot + (TOTAL + unit)) - U.getLong(null, slot + (CHARGED + unit));
    }

    /** Charges what was counted in between. */
    @ForceInline
    @Hidden
    private static void charge(long slot, long objects, long bytes) {
        U.putLong(null, slot + CHARGED, U.getLong(null, slot + TOTAL) - objects);
        U.putLong(null, slot + (CHARGED + 8), U.getLong(null, slot + (TOTAL + 8)) - bytes);
    }

    @ForceInline
    @Hidden
    public static void count(int id) {
        long slot = DuckTrack.slot();
        long objects = open(slot, 0), bytes = open(slot, 8);
        DuckTrack.count(id);
        charge(slot, objects, bytes);
    }

    @ForceInline
    @Hidden
    public static void countSeveral(int count, int id) {
        long slot = DuckTrack.slot();
        long objects = open(slot, 0), bytes = open(slot, 8);
        DuckTrack.countSeveral(count, id);
        charge(slot, objects, bytes);
    }

    @ForceInline
    @Hidden
    public static void addBytesOf1(int n, int id) {
        long slot = DuckTrack.slot();
        long objects = open(slot, 0), bytes = open(slot, 8);
        DuckTrack.addBytesOf1(n, id);
        charge(slot, objects, bytes);
    }

    @ForceInline
    @Hidden
    public static void addBytesOf2(int n, int id) {
        long slot = DuckTrack.slot();
        long objects = open(slot, 0), bytes = open(slot, 8);
        DuckTrack.addBytesOf2(n, id);
        charge(slot, objects, bytes);
    }

    @ForceInline
    @Hidden
    public static void addBytesOf4(int n, int id) {
        long slot = DuckTrack.slot();
        long objects = open(slot, 0), bytes = open(slot, 8);
        DuckTrack.addBytesOf4(n, id);
        charge(slot, objects, bytes);
    }

    @ForceInline
    @Hidden
    public static void addBytesOf8(int n, int id) {
        long slot = DuckTrack.slot();
        long objects = open(slot, 0), bytes = open(slot, 8);
        DuckTrack.addBytesOf8(n, id);
        charge(slot, objects, bytes);
    }

    @ForceInline
    @Hidden
    public static void addBytesOfReferences(int n, int id) {
        long slot = DuckTrack.slot();
        long objects = open(slot, 0), bytes = open(slot, 8);
        DuckTrack.addBytesOfReferences(n, id);
        charge(slot, objects, bytes);
    }

    @ForceInline
    @Hidden
    public static void countInteger(int value, int id) {
        long slot = DuckTrack.slot();
        long objects = open(slot, 0), bytes = open(slot, 8);
        DuckTrack.countInteger(value, id);
        charge(slot, objects, bytes);
    }

    @ForceInline
    @Hidden
    public static void countLong(long value, int id) {
        long slot = DuckTrack.slot();
        long objects = open(slot, 0), bytes = open(slot, 8);
        DuckTrack.countLong(value, id);
        charge(slot, objects, bytes);
    }

    @ForceInline
    @Hidden
    public static void countShort(int value, int id) {
        long slot = DuckTrack.slot();
        long objects = open(slot, 0), bytes = open(slot, 8);
        DuckTrack.countShort(value, id);
        charge(slot, objects, bytes);
    }

    @ForceInline
    @Hidden
    public static void countCharacter(int value, int id) {
        long slot = DuckTrack.slot();
        long objects = open(slot, 0), bytes = open(slot, 8);
        DuckTrack.countCharacter(value, id);
        charge(slot, objects, bytes);
    }

    @ForceInline
    @Hidden
    public static void object(int site) {
        long slot = DuckTrack.slot();
        long objects = open(slot, 0), bytes = open(slot, 8);
        DuckTrackKeyed.object(site);
        charge(slot, objects, bytes);
    }

    @ForceInline
    @Hidden
    public static void arrayOf1(int n, int site) {
        long slot = DuckTrack.slot();
        long objects = open(slot, 0), bytes = open(slot, 8);
        DuckTrackKeyed.arrayOf1(n, site);
        charge(slot, objects, bytes);
    }

    @ForceInline
    @Hidden
    public static void arrayOf2(int n, int site) {
        long slot = DuckTrack.slot();
        long objects = open(slot, 0), bytes = open(slot, 8);
        DuckTrackKeyed.arrayOf2(n, site);
        charge(slot, objects, bytes);
    }

    @ForceInline
    @Hidden
    public static void arrayOf4(int n, int site) {
        long slot = DuckTrack.slot();
        long objects = open(slot, 0), bytes = open(slot, 8);
        DuckTrackKeyed.arrayOf4(n, site);
        charge(slot, objects, bytes);
    }

    @ForceInline
    @Hidden
    public static void arrayOf8(int n, int site) {
        long slot = DuckTrack.slot();
        long objects = open(slot, 0), bytes = open(slot, 8);
        DuckTrackKeyed.arrayOf8(n, site);
        charge(slot, objects, bytes);
    }

    @ForceInline
    @Hidden
    public static void arrayOfReferences(int n, int site) {
        long slot = DuckTrack.slot();
        long objects = open(slot, 0), bytes = open(slot, 8);
        DuckTrackKeyed.arrayOfReferences(n, site);
        charge(slot, objects, bytes);
    }

    @ForceInline
    @Hidden
    public static void byClass(Object object, int site) {
        long slot = DuckTrack.slot();
        long objects = open(slot, 0), bytes = open(slot, 8);
        DuckTrackKeyed.byClass(object, site);
        charge(slot, objects, bytes);
    }

    @ForceInline
    @Hidden
    public static void byClassForCaller(Object object, int site) {
        long slot = DuckTrack.slot();
        long objects = open(slot, 0), bytes = open(slot, 8);
        DuckTrackKeyed.byClassForCaller(object, site);
        charge(slot, objects, bytes);
    }

    @ForceInline
    @Hidden
    public static void byClassUnlessOverridden(Object object, int site) {
        long slot = DuckTrack.slot();
        long objects = open(slot, 0), bytes = open(slot, 8);
        DuckTrackKeyed.byClassUnlessOverridden(object, site);
        charge(slot, objects, bytes);
    }

    @ForceInline
    @Hidden
    public static void allLevels(Object array, int site) {
        long slot = DuckTrack.slot();
        long objects = open(slot, 0), bytes = open(slot, 8);
        DuckTrackKeyed.allLevels(array, site);
        charge(slot, objects, bytes);
    }

    @ForceInline
    @Hidden
    public static void countLevels(Object array, int levelsAndElement, int id) {
        long slot = DuckTrack.slot();
        long objects = open(slot, 0), bytes = open(slot, 8);
        DuckTrack.countLevels(array, levelsAndElement, id);
        charge(slot, objects, bytes);
    }
}
