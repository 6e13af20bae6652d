package java.lang;

import java.lang.ref.Reference;
import java.lang.ref.WeakReference;
import jdk.internal.misc.Unsafe;
import jdk.internal.vm.annotation.DontInline;
import jdk.internal.vm.annotation.ForceInline;
import jdk.internal.vm.annotation.Hidden;

/**
 * Allocation by context: while a thread runs in a context, its slot leads to a block that is leased for it, and every probe counts there.
 *
 * <pre>
 * enter(context); try { ... } finally { leave(); }
 *
 * context      a name of one kind: the request GET /orders, the query SELECT ...
 * combination  the innermost context of each kind that is in effect; a block counts for one combination
 * bank         of a combination: 8 words, a cache line each, that hold the slot value of an idle block, or 0; further idle blocks are in native code
 * </pre>
 *
 * <p>A context that changes nothing (it is entered in itself) or cannot be had is skipped: the block around it counts how often, and the
 * same number of leaves does nothing. So a leave needs no token, and every method that enters must leave on all its ways out.
 *
 * <p>A virtual thread that waits holds no block: its contexts wait in native code, and it takes any blocks of theirs when it goes on.
 */
public final class DuckTrackContexts {
    private static final Unsafe U = Unsafe.getUnsafe();

    private static final long SHARED = DuckTrack.SHARED;
    private static final long NOTE = DuckTrackCallers.NOTE;
    private static final long TOTAL = DuckTrack.TOTAL;
    private static final boolean TOTALS = DuckTrack.TOTALS;
    private static final long TLAB_START = DuckTrack.constant(DuckTrackLayout.ASK_TLAB_START);

    private static final long FLOOR = SHARED + DuckTrackLayout.CONTEXT_FLOOR;
    private static final long FLOOR_SKIPPED = SHARED + DuckTrackLayout.CONTEXT_FLOOR_SKIPPED;
    private static final long MEASURED = SHARED + DuckTrackLayout.CONTEXT_MEASURED;
    private static final long THREAD = SHARED + DuckTrackLayout.CONTEXT_THREAD;
    private static final long OUTER = SHARED + DuckTrackLayout.CONTEXT_OUTER;
    private static final long CONTEXT = SHARED + DuckTrackLayout.CONTEXT;
    private static final long DEPTH = SHARED + DuckTrackLayout.CONTEXT_DEPTH;
    private static final long SKIPPED = SHARED + DuckTrackLayout.CONTEXT_SKIPPED;
    private static final long START = SHARED + DuckTrackLayout.CONTEXT_START;
    private static final long BEFORE = SHARED + DuckTrackLayout.CONTEXT_BEFORE;
    private static final long EXECUTIONS = SHARED + DuckTrackLayout.CONTEXT_EXECUTIONS;
    private static final long EXECUTION_BYTES = SHARED + DuckTrackLayout.CONTEXT_EXECUTION_BYTES;
    private static final long LARGEST = SHARED + DuckTrackLayout.CONTEXT_LARGEST;
    private static final long VM_BYTES = SHARED + DuckTrackLayout.CONTEXT_VM_BYTES;
    private static final long OBJECTS_OF_EXECUTIONS = SHARED + DuckTrackLayout.OBJECTS_OF_EXECUTIONS;
    private static final long OBJECTS_MOST = SHARED + DuckTrackLayout.OBJECTS_MOST;
    private static final long OBJECTS_START = SHARED + DuckTrackLayout.OBJECTS_START;
    private static final long OBJECTS_BEFORE = SHARED + DuckTrackLayout.OBJECTS_BEFORE;

    private static final long BANKS = constant(DuckTrackLayout.ASK_CONTEXT_BANKS);
    private static final long COMBINATIONS = constant(DuckTrackLayout.ASK_CONTEXT_COMBINATIONS);
    private static final long COMBINATIONS_MASK = constant(DuckTrackLayout.ASK_CONTEXT_COMBINATIONS_MASK);
    private static final long GENERATION = constant(DuckTrackLayout.ASK_CONTEXT_GENERATION);
    private static final long WAITING = constant(DuckTrackLayout.ASK_CONTEXT_WAITING);
    private static final long HISTOGRAM = SHARED + constant(DuckTrackLayout.ASK_CONTEXT_HISTOGRAM);
    private static final long OBJECTS_HISTOGRAM_OFFSET = constant(DuckTrackLayout.ASK_CONTEXT_OBJECTS_HISTOGRAM);
    private static final long OBJECTS_HISTOGRAM = SHARED + OBJECTS_HISTOGRAM_OFFSET;
    /** Objects are counted by execution, too. */
    private static final boolean OBJECTS = OBJECTS_HISTOGRAM_OFFSET != 0;

    /** In THREAD: a virtual thread has entered the context. */
    private static final long VIRTUAL = 1;
    /** In THREAD: it works for another thread that has entered the context. */
    private static final long CARRIED = 2;

    /** Contexts that are open on a thread at once. More are skipped. */
    private static final int MOST_DEPTH = 32;
    /** Bits of a value below its highest one that choose its bucket: a bucket is at most 1/128 of its values wide. */
    private static final int BUCKET_BITS = 7;
    /** Values of 2^46 and more are in the last buckets. */
    private static final long LARGEST_VALUE = (1L << 46) - 1;

    /**
     * Texts of arguments, each with its pattern << 32 | the context that it names (a Long). A text may fall out of the table, and is looked
     * up again then. Rows are published by a race, so their elements may still be null to another thread.
     */
    private static final Object[][] NAMED = new Object[1024][];
    /** Prepared objects, each with its text. One that falls out of the table opens no context. */
    private static final Object[][] PREPARED = new Object[1 << 12][];
    /** Texts with which threads prepare an object, each with the thread's identity. */
    private static final Object[][] PREPARING = new Object[1 << 10][];
    /** Longer texts are looked up each time, so that the table keeps none of them alive. */
    private static final int LONGEST_KEPT = 1024;

    private static final long CONTINUATION = offset("java.lang.VirtualThread", "cont");
    private static final long DONE = offset("jdk.internal.vm.Continuation", "done");

    private DuckTrackContexts() {}

    private static native long constant(int which);

    /** The combination in which a context is entered, in the table from now on; -1: it cannot be had. */
    private static native int combine(int around, int context);

    /** A block, as the value of a slot; 0: there is none, which is counted. */
    private static native long lease(int combination);

    private static native void giveBack(int combination, long block);

    /** A context could not be had: 0 the combination, 2 too many are open, 3 a measurement is open. */
    private static native void skip(int why);

    /** The number of the pattern by which texts name contexts of a kind. */
    public static native int pattern(String kind);

    /** The context that a text names for a pattern; 0: none. */
    private static native int named(String text, int pattern);

    private static native void newLargest(int combination, long bytes, String thread, String trace);

    /** The contexts of a virtual thread wait; the slot of its carrier. */
    private static native long depart(long thread, long slot, long allocated);

    /** They go on on another carrier; its slot. */
    private static native long arrive(long thread, long slot, long allocated, long eetop);

    /** The current thread runs in a context until {@link #leave}. */
    @Hidden
    public static void enter(int context) {
        Thread thread = DuckTrack.thread();
        long eetop = U.getLong(thread, DuckTrack.EETOP);
        long outer = DuckTrack.slot(thread, eetop);
        if (outer == 0) {
            return;
        }
        if (context == 0) {
            U.putLong(null, outer + SKIPPED, U.getLong(null, outer + SKIPPED) + 1);
            return;
        }
        int around = (int) U.getLong(null, outer + CONTEXT);
        enter(thread, eetop, outer, combination(around, context), 0);
    }

    /** The contexts that are in effect on the current thread, for another one that works for it; 0: none. */
    public static int current() {
        Thread thread = DuckTrack.thread();
        long slot = DuckTrack.slot(thread, U.getLong(thread, DuckTrack.EETOP));
        return slot == 0 ? 0 : (int) U.getLong(null, slot + CONTEXT);
    }

    /** The current thread works for one that is in these contexts, until {@link #leave}. This is no execution of its own. */
    @Hidden
    public static void enterCarried(int combination) {
        Thread thread = DuckTrack.thread();
        long eetop = U.getLong(thread, DuckTrack.EETOP);
        long outer = DuckTrack.slot(thread, eetop);
        if (outer != 0) {
            enter(thread, eetop, outer, combination, CARRIED);
        }
    }

    @ForceInline
    @Hidden
    private static void enter(Thread thread, long eetop, long outer, int inner, long how) {
        if (inner == (int) U.getLong(null, outer + CONTEXT)) {
            U.putLong(null, outer + SKIPPED, U.getLong(null, outer + SKIPPED) + 1);
            return;
        }
        long depth = U.getLong(null, outer + DEPTH) + 1;
        long measured = U.getLong(null, outer + MEASURED);
        if (inner <= 0 || depth > MOST_DEPTH || Long.bitCount(measured) > 1) {
            refuse(outer, inner <= 0 ? 0 : depth > MOST_DEPTH ? 2 : 3);
            return;
        }
        long block = U.getAndSetLong(null, stripe(inner, eetop), 0);
        if (block == 0 || U.getLong(null, block + CONTEXT) != (U.getLong(null, GENERATION) | inner)) {
            block = lease(inner);
            if (block == 0) {
                U.putLong(null, outer + SKIPPED, U.getLong(null, outer + SKIPPED) + 1);
                return;
            }
        }
        U.putLong(null, block + OUTER, outer);
        U.putLong(null, block + DEPTH, depth);
        U.putLong(null, block + NOTE, U.getLong(null, outer + NOTE));
        U.putLong(null, block + BEFORE, 0);
        U.putLong(null, block + START, allocated(eetop));
        U.putLong(null, block + THREAD, Thread.currentThread() == thread ? eetop | how : eetop | how | VIRTUAL);
        if (TOTALS) {
            copyTotals(outer, block);
        }
        if (OBJECTS) {
            U.putLong(null, block + OBJECTS_BEFORE, 0);
            U.putLong(null, block + OBJECTS_START, U.getLong(null, block + TOTAL));
        }
        DuckTrack.setSlot(thread, eetop, block);
    }

    /** The same with a context that the text of an argument names. */
    @Hidden
    public static void enterNamed(Object argument, int pattern) {
        enter(context(argument, pattern));
    }

    /** The same with a text that may be missing: then there is no context. */
    @Hidden
    public static void enterKnown(Object text, int pattern) {
        enter(text == null ? 0 : context(text, pattern));
    }

    /** The same with the context that the text names with which an object was prepared. */
    @Hidden
    public static void enterPrepared(Object prepared, int pattern) {
        Object[] row = PREPARED[System.identityHashCode(prepared) & PREPARED.length - 1];
        Object object = row == null || row[0] == null ? null : ((Reference<?>) row[0]).get();
        enter(object == prepared && row[1] != null ? context(row[1], pattern) : 0);
    }

    /** The thread begins to prepare an object with a text. */
    @Hidden
    public static void preparing(Object text) {
        if (text instanceof String && ((String) text).length() <= LONGEST_KEPT) {
            int thread = System.identityHashCode(Thread.currentThread());
            keep(PREPARING, thread, thread, text);
        }
    }

    /** It has prepared it; another one that was prepared meanwhile, on behalf of this one, has left its text. */
    @Hidden
    public static void prepared(Object prepared) {
        int thread = System.identityHashCode(Thread.currentThread());
        Object[] row = PREPARING[thread & PREPARING.length - 1];
        if (prepared != null && row != null && row[0] instanceof Integer && (Integer) row[0] == thread) {
            try {
                keep(PREPARED, System.identityHashCode(prepared), new WeakReference<>(prepared), row[1]);
            } catch (Throwable noMemory) {
                // Its executions open no context.
            }
        }
    }

    /** It runs again in what was around. */
    @Hidden
    public static void leave() {
        Thread thread = DuckTrack.thread();
        long eetop = U.getLong(thread, DuckTrack.EETOP);
        long slot = DuckTrack.slot(thread, eetop);
        if (slot == 0) {
            return;
        }
        long skipped = U.getLong(null, slot + SKIPPED);
        if (skipped > 0) {
            U.putLong(null, slot + SKIPPED, skipped - 1);
        } else if (U.getLong(null, slot + CONTEXT) != 0) {
            leave(thread, eetop, slot);
        }
    }

    @Hidden
    private static void leave(Thread thread, long eetop, long block) {
        long outer = U.getLong(null, block + OUTER);
        long bytes = allocated(eetop) - U.getLong(null, block + START);
        U.putLong(null, block + VM_BYTES, U.getLong(null, block + VM_BYTES) + bytes);
        U.putLong(null, outer + VM_BYTES, U.getLong(null, outer + VM_BYTES) - bytes);
        if ((U.getLong(null, block + THREAD) & CARRIED) == 0) {
            account(block, bytes + U.getLong(null, block + BEFORE));
            if (OBJECTS) {
                long objects = U.getLong(null, block + TOTAL) - U.getLong(null, block + OBJECTS_START);
                accountObjects(block, objects + U.getLong(null, block + OBJECTS_BEFORE));
            }
        }
        if (TOTALS) {
            copyTotals(block, outer);
        }
        U.putLong(null, outer + NOTE, U.getLong(null, block + NOTE));
        U.putLong(null, block + THREAD, 0);
        U.putLong(null, block + MEASURED, 0);
        DuckTrack.setSlot(thread, eetop, outer);
        int combination = (int) U.getLong(null, block + CONTEXT);
        if (!U.compareAndSetLong(null, stripe(combination, eetop), 0, block)) {
            giveBack(combination, block);
        }
    }

    @Hidden
    private static void account(long block, long bytes) {
        U.putLong(null, block + EXECUTIONS, U.getLong(null, block + EXECUTIONS) + 1);
        U.putLong(null, block + EXECUTION_BYTES, U.getLong(null, block + EXECUTION_BYTES) + bytes);
        addTo(block + HISTOGRAM, bytes);
        if (bytes > U.getLong(null, block + LARGEST)) {
            largest(block, bytes);
        }
    }

    @Hidden
    private static void accountObjects(long block, long objects) {
        U.putLong(null, block + OBJECTS_OF_EXECUTIONS, U.getLong(null, block + OBJECTS_OF_EXECUTIONS) + objects);
        addTo(block + OBJECTS_HISTOGRAM, objects);
        if (objects > U.getLong(null, block + OBJECTS_MOST)) {
            U.putLong(null, block + OBJECTS_MOST, objects);
        }
    }

    /** Adds a value to a histogram. */
    @ForceInline
    @Hidden
    private static void addTo(long histogram, long number) {
        long value = Math.min(Math.max(number, 0), LARGEST_VALUE);
        int above = 63 - BUCKET_BITS - Long.numberOfLeadingZeros(value | 1 << BUCKET_BITS);
        long bucket = ((long) above << BUCKET_BITS) + (value >>> above);
        long word = histogram + (bucket << 3);
        U.putLong(null, word, U.getLong(null, word) + 1);
    }

    @DontInline
    @Hidden
    private static void largest(long block, long bytes) {
        U.putLong(null, block + LARGEST, bytes);
        Thread thread = Thread.currentThread();
        String name = thread.getName();
        newLargest((int) U.getLong(null, block + CONTEXT), bytes, name, DuckTrackSpans.trace(thread));
    }

    @DontInline
    @Hidden
    private static void refuse(long outer, int why) {
        U.putLong(null, outer + SKIPPED, U.getLong(null, outer + SKIPPED) + 1);
        skip(why);
    }

    @ForceInline
    @Hidden
    private static int combination(int around, int context) {
        long key = (long) around << 32 | context;
        long entry = COMBINATIONS + (key * 0x9E3779B97F4A7C15L >>> 24 & COMBINATIONS_MASK);
        for (;;) {
            long found = U.getLongAcquire(null, entry);
            if (found == key) {
                return (int) U.getLong(null, entry + 8);
            }
            if (found == 0) {
                return combine(around, context);
            }
            entry = COMBINATIONS + (entry - COMBINATIONS + 16 & COMBINATIONS_MASK);
        }
    }

    @ForceInline
    @Hidden
    private static long stripe(int combination, long eetop) {
        return BANKS + ((long) combination << 9) + ((eetop * 0x9E3779B97F4A7C15L >>> 61) << 6);
    }

    /** What the thread has allocated, as {@code ThreadMXBean.getThreadAllocatedBytes} has it. */
    @ForceInline
    @Hidden
    private static long allocated(long eetop) {
        long top = U.getLong(null, eetop + DuckTrack.TLAB_TOP) & DuckTrack.ADDRESS_BITS;
        long start = U.getLong(null, eetop + TLAB_START) & DuckTrack.ADDRESS_BITS;
        return U.getLong(null, eetop + DuckTrack.ALLOCATED) + (top - start);
    }

    /** The thread's totals and open calls go where it goes. */
    @ForceInline
    @Hidden
    private static void copyTotals(long from, long to) {
        for (int i = 0; i < (int) (DuckTrackLayout.OPEN_CALLS_BEFORE + 8 - DuckTrackLayout.TOTAL_OBJECTS); i += 8) {
            U.putLong(null, to + (TOTAL + i), U.getLong(null, from + (TOTAL + i)));
        }
    }

    @Hidden
    private static int context(Object argument, int pattern) {
        String text = text(argument);
        int hash = text.hashCode() * 0x9E3779B1 + pattern;
        int index = (hash ^ hash >>> 16) & NAMED.length - 1;
        Object[] row = NAMED[index];
        if (row != null && text.equals(row[0]) && row[1] != null) {
            long found = (Long) row[1];
            if (found >>> 32 == pattern) {
                return (int) found;
            }
        }
        int context = named(text, pattern);
        if (text.length() <= LONGEST_KEPT) {
            keep(NAMED, index, text, (long) pattern << 32 | context);
        }
        return context;
    }

    /** Puts a row where its hash says. The program must not see it if there is no memory for that. */
    private static void keep(Object[][] table, int hash, Object one, Object other) {
        try {
            table[hash & table.length - 1] = new Object[] {one, other};
        } catch (Throwable noMemory) {
            // It is looked up again.
        }
    }

    /** No code of the program runs here. */
    private static String text(Object argument) {
        if (argument instanceof String) {
            return (String) argument;
        }
        if (argument instanceof Enum) {
            return ((Enum<?>) argument).name();
        }
        if (argument instanceof Class) {
            return ((Class<?>) argument).getName();
        }
        return argument == null ? "(null)" : argument.getClass().getName();
    }

    /** The thread ends: its contexts end with it. */
    static void abandon() {
        Thread thread = DuckTrack.thread();
        long eetop = U.getLong(thread, DuckTrack.EETOP);
        for (long slot = DuckTrack.slot(thread, eetop); slot != 0; slot = DuckTrack.slot(thread, eetop)) {
            U.putLong(null, slot + SKIPPED, 0);
            if (U.getLong(null, slot + CONTEXT) == 0) {
                return;
            }
            leave(thread, eetop, slot);
        }
    }

    /** A virtual thread begins to run on the current carrier. */
    @Hidden
    public static void mount(Object thread) {
        Thread carrier = DuckTrack.thread();
        long eetop = U.getLong(carrier, DuckTrack.EETOP);
        long slot = DuckTrack.slot(carrier, eetop);
        if (slot == 0) {
            return;
        }
        long skipped = U.getLong(null, slot + SKIPPED);
        boolean isInContext = U.getLong(null, slot + CONTEXT) != 0;
        if ((U.getLong(null, slot + THREAD) & VIRTUAL) != 0 || !isInContext && skipped != 0) {
            // The virtual thread before it was mounted without probes, and its contexts are still here.
            slot = depart(0, slot, allocated(eetop));
            DuckTrack.setSlot(carrier, eetop, slot);
        } else if (skipped != 0) {
            U.putLong(null, slot + FLOOR, 1);
            U.putLong(null, slot + FLOOR_SKIPPED, skipped);
        }
        if (U.getLong(null, WAITING) != 0) {
            DuckTrack.setSlot(carrier, eetop, arrive(((Thread) thread).getId(), slot, allocated(eetop), eetop));
        }
    }

    /** It waits, or has ended. */
    @Hidden
    public static void unmount(Object thread) {
        Thread carrier = DuckTrack.thread();
        long eetop = U.getLong(carrier, DuckTrack.EETOP);
        long slot = DuckTrack.slot(carrier, eetop);
        if (slot == 0) {
            return;
        }
        long isInContext = U.getLong(null, slot + THREAD) & VIRTUAL;
        if ((isInContext | U.getLong(null, slot + SKIPPED) | U.getLong(null, slot + MEASURED) | U.getLong(null, slot + FLOOR)) != 0) {
            boolean ended = hasEnded(thread);
            while (ended && (U.getLong(null, slot + THREAD) & VIRTUAL) != 0) {
                U.putLong(null, slot + SKIPPED, 0);
                leave(carrier, eetop, slot);
                slot = DuckTrack.slot(carrier, eetop);
            }
            DuckTrack.setSlot(carrier, eetop, depart(ended ? 0 : ((Thread) thread).getId(), slot, allocated(eetop)));
        }
    }

    @Hidden
    private static boolean hasEnded(Object thread) {
        if (CONTINUATION == 0 || DONE == 0) {
            return false;
        }
        Object continuation = U.getReference(thread, CONTINUATION);
        return continuation != null && U.getBoolean(continuation, DONE);
    }

    private static long offset(String type, String field) {
        try {
            return U.objectFieldOffset(Class.forName(type, false, null), field);
        } catch (Throwable none) {
            return 0;
        }
    }
}
