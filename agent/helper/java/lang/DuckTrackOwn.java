package java.lang;

import jdk.internal.misc.Unsafe;
import jdk.internal.vm.annotation.ForceInline;
import jdk.internal.vm.annotation.Hidden;

/**
 * What application code calls instead of {@link DuckTrack}: the same, and what was counted is charged to the code that made it, not to a call that is under way.
 */
public final class DuckTrackOwn {
    private static final Unsafe U = Unsafe.getUnsafe();

    private static final long TOTAL = DuckTrack.TOTAL;
    private static final long CHARGED = TOTAL + 16;

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
    public static void c(int id) {
        long slot = DuckTrack.slot();
        long objects = open(slot, 0), bytes = open(slot, 8);
        DuckTrack.c(id);
        charge(slot, objects, bytes);
    }

    @ForceInline
    @Hidden
    public static void cm(int count, int id) {
        long slot = DuckTrack.slot();
        long objects = open(slot, 0), bytes = open(slot, 8);
        DuckTrack.cm(count, id);
        charge(slot, objects, bytes);
    }

    @ForceInline
    @Hidden
    public static void l1(int n, int id) {
        long slot = DuckTrack.slot();
        long objects = open(slot, 0), bytes = open(slot, 8);
        DuckTrack.l1(n, id);
        charge(slot, objects, bytes);
    }

    @ForceInline
    @Hidden
    public static void l2(int n, int id) {
        long slot = DuckTrack.slot();
        long objects = open(slot, 0), bytes = open(slot, 8);
        DuckTrack.l2(n, id);
        charge(slot, objects, bytes);
    }

    @ForceInline
    @Hidden
    public static void l4(int n, int id) {
        long slot = DuckTrack.slot();
        long objects = open(slot, 0), bytes = open(slot, 8);
        DuckTrack.l4(n, id);
        charge(slot, objects, bytes);
    }

    @ForceInline
    @Hidden
    public static void l8(int n, int id) {
        long slot = DuckTrack.slot();
        long objects = open(slot, 0), bytes = open(slot, 8);
        DuckTrack.l8(n, id);
        charge(slot, objects, bytes);
    }

    @ForceInline
    @Hidden
    public static void lr(int n, int id) {
        long slot = DuckTrack.slot();
        long objects = open(slot, 0), bytes = open(slot, 8);
        DuckTrack.lr(n, id);
        charge(slot, objects, bytes);
    }

    @ForceInline
    @Hidden
    public static void bi(int value, int id) {
        long slot = DuckTrack.slot();
        long objects = open(slot, 0), bytes = open(slot, 8);
        DuckTrack.bi(value, id);
        charge(slot, objects, bytes);
    }

    @ForceInline
    @Hidden
    public static void bj(long value, int id) {
        long slot = DuckTrack.slot();
        long objects = open(slot, 0), bytes = open(slot, 8);
        DuckTrack.bj(value, id);
        charge(slot, objects, bytes);
    }

    @ForceInline
    @Hidden
    public static void bs(int value, int id) {
        long slot = DuckTrack.slot();
        long objects = open(slot, 0), bytes = open(slot, 8);
        DuckTrack.bs(value, id);
        charge(slot, objects, bytes);
    }

    @ForceInline
    @Hidden
    public static void bc(int value, int id) {
        long slot = DuckTrack.slot();
        long objects = open(slot, 0), bytes = open(slot, 8);
        DuckTrack.bc(value, id);
        charge(slot, objects, bytes);
    }

    @ForceInline
    @Hidden
    public static void k(int site) {
        long slot = DuckTrack.slot();
        long objects = open(slot, 0), bytes = open(slot, 8);
        DuckTrack.k(site);
        charge(slot, objects, bytes);
    }

    @ForceInline
    @Hidden
    public static void k1(int n, int site) {
        long slot = DuckTrack.slot();
        long objects = open(slot, 0), bytes = open(slot, 8);
        DuckTrack.k1(n, site);
        charge(slot, objects, bytes);
    }

    @ForceInline
    @Hidden
    public static void k2(int n, int site) {
        long slot = DuckTrack.slot();
        long objects = open(slot, 0), bytes = open(slot, 8);
        DuckTrack.k2(n, site);
        charge(slot, objects, bytes);
    }

    @ForceInline
    @Hidden
    public static void k4(int n, int site) {
        long slot = DuckTrack.slot();
        long objects = open(slot, 0), bytes = open(slot, 8);
        DuckTrack.k4(n, site);
        charge(slot, objects, bytes);
    }

    @ForceInline
    @Hidden
    public static void k8(int n, int site) {
        long slot = DuckTrack.slot();
        long objects = open(slot, 0), bytes = open(slot, 8);
        DuckTrack.k8(n, site);
        charge(slot, objects, bytes);
    }

    @ForceInline
    @Hidden
    public static void kr(int n, int site) {
        long slot = DuckTrack.slot();
        long objects = open(slot, 0), bytes = open(slot, 8);
        DuckTrack.kr(n, site);
        charge(slot, objects, bytes);
    }

    @ForceInline
    @Hidden
    public static void d(Object object, int site) {
        long slot = DuckTrack.slot();
        long objects = open(slot, 0), bytes = open(slot, 8);
        DuckTrack.d(object, site);
        charge(slot, objects, bytes);
    }

    @ForceInline
    @Hidden
    public static void dx(Object object, int site) {
        long slot = DuckTrack.slot();
        long objects = open(slot, 0), bytes = open(slot, 8);
        DuckTrack.dx(object, site);
        charge(slot, objects, bytes);
    }

    @ForceInline
    @Hidden
    public static void da(Object object, int site) {
        long slot = DuckTrack.slot();
        long objects = open(slot, 0), bytes = open(slot, 8);
        DuckTrack.da(object, site);
        charge(slot, objects, bytes);
    }

    @ForceInline
    @Hidden
    public static void dm(Object array, int site) {
        long slot = DuckTrack.slot();
        long objects = open(slot, 0), bytes = open(slot, 8);
        DuckTrack.dm(array, site);
        charge(slot, objects, bytes);
    }

    @ForceInline
    @Hidden
    public static void m(Object array, int levelsAndElement, int id) {
        long slot = DuckTrack.slot();
        long objects = open(slot, 0), bytes = open(slot, 8);
        DuckTrack.m(array, levelsAndElement, id);
        charge(slot, objects, bytes);
    }
}
