package java.lang;

import jdk.internal.misc.Unsafe;
import jdk.internal.vm.annotation.Hidden;

/**
 * Gives a program the executed allocations of a piece of its own run. The class is there where the agent is; libraries for tests and
 * benchmarks find it by its name.
 *
 * <pre>
 * begin(false) == STARTED; piece.run(); String rows = end(); ... resume();
 * </pre>
 *
 * <p>Nothing here allocates on behalf of the piece: counts are read in native code, and the rows are made after the reading. Measurements
 * of a thread may be nested. {@link #end} stops all measurements of the thread, so that the work of reading rows belongs to none;
 * {@link #resume} goes on with those that are open, as after {@link #pause}. A measurement on a virtual thread follows it from carrier to
 * carrier.
 */
public final class DuckTrackMeasured {
    private static final Unsafe U = Unsafe.getUnsafe();
    /** The address of the number of threads that have open measurements. */
    private static final long OPEN = openThreads();

    /** While a measurement of a thread is open, the thread stays in its block: see {@link DuckTrackContexts}. */
    private static final long MEASURED = DuckTrack.SHARED + DuckTrackLayout.CONTEXT_MEASURED;

    private DuckTrackMeasured() {}

    private static native long openThreads();

    private static native int begin(long thread, long slot, boolean allThreads);

    private static native String end(long thread, long slot);

    private static native void pause(long thread, long slot);

    private static native void resume(long thread, long slot);

    /**
     * Begins a measurement of the calling thread, or of all threads. 0: it has begun; 1: this JVM does not count; 2: the thread has no
     * counters of its own.
     */
    public static int begin(boolean allThreads) {
        long slot = DuckTrack.slot();
        int begun = begin(thread(slot), slot, allThreads);
        if (begun == 0) {
            long open = Math.max(U.getLong(null, slot + MEASURED), 1);
            U.putLong(null, slot + MEASURED, open << 1 | (allThreads ? 0 : 1));
        }
        return begun;
    }

    /** Ends the measurement begun last: one line for each site, or null if counting has ended in between. */
    public static String end() {
        long slot = DuckTrack.slot();
        U.putLong(null, slot + MEASURED, U.getLong(null, slot + MEASURED) >>> 1);
        return end(thread(slot), slot);
    }

    /** What the calling thread does from now on belongs to none of its measurements. */
    public static void pause() {
        long slot = DuckTrack.slot();
        pause(thread(slot), slot);
    }

    /** Continues the measurements of the calling thread that {@link #pause} or {@link #end} has stopped. */
    public static void resume() {
        long slot = DuckTrack.slot();
        resume(thread(slot), slot);
    }

    /**
     * Begins to watch the objects of a thread, or of all threads (null). 0: it has begun; 1: this JVM does not count; 3: the VM's
     * allocation sampler belongs to another tool, to the agent's own stacks, or to a watch that is open.
     */
    public static native int watch(Thread thread);

    /** Objects from now on are of this repetition; 0: of none. Whether an allocation of the watched thread was sampled already. */
    public static native boolean repetition(int number);

    /**
     * Ends the watch: collects garbage, and gives one line for each group of objects that stays, and for who holds it; or null if the heap
     * cannot be walked.
     */
    public static native String survivors();

    /** A virtual thread begins to run on the current carrier. */
    @Hidden
    public static void mount(Object thread) {
        if (U.getLong(null, OPEN) != 0) {
            resume(-((Thread) thread).getId(), DuckTrack.slot());
        }
    }

    /** It waits, or has ended. */
    @Hidden
    public static void unmount(Object thread) {
        if (U.getLong(null, OPEN) != 0) {
            pause(-((Thread) thread).getId(), DuckTrack.slot());
        }
    }

    /** What the agent knows a thread by: its slot, or of a virtual thread its negative id. */
    private static long thread(long slot) {
        Thread thread = Thread.currentThread();
        return thread == DuckTrack.thread() ? slot : -thread.getId();
    }
}
