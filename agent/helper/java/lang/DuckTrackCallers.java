package java.lang;

import jdk.internal.misc.Unsafe;
import jdk.internal.vm.annotation.ForceInline;
import jdk.internal.vm.annotation.Hidden;

/**
 * What instrumented code calls around its calls of tracked methods: the call site that is to blame is noted in the thread's block.
 *
 * <pre>
 * note: call site &lt;&lt; 32 | where in the table of keyed entries its entries begin, in bytes
 * </pre>
 *
 * <p>A note is a constant where it is written. So what is filed under it finds its entry by one addition, and the sites of a library method
 * are neighbours in the table.
 */
public final class DuckTrackCallers {
    private static final Unsafe U = Unsafe.getUnsafe();

    /** Instead of a call site: what is allocated is counted by the tracked method that is under way. */
    static final int COUNTED = -1;

    /** Set in the note of a chain of StringBuilder that C2 may join. It is not a part of the place of entries. */
    private static final long JOINED = 2;

    /** Where the note of the call under way is, in the block. */
    static final long NOTE = DuckTrack.SHARED + DuckTrackLayout.NOTE;

    private DuckTrackCallers() {}

    /** The note of a call site. */
    @ForceInline
    static long note(int callSite) {
        return (long) callSite << 32 | callSite * 0x9E3779B1 >>> 1 & 0x7FFFFFE0;
    }

    /** The call site of a note. */
    @ForceInline
    static int callSite(long note) {
        return (int) (note >>> 32);
    }

    /** Notes the call site that is to blame for what a tracked method allocates; gives the note until then. */
    @ForceInline
    @Hidden
    public static long noteCallSite(int callSite) {
        long word = DuckTrack.slot() + NOTE;
        long outer = U.getLong(null, word);
        U.putLong(null, word, note(callSite));
        return outer;
    }

    /**
     * Notes the call site of a chain of StringBuilder, which counts the builder, its first array and the string; gives the note until then.
     */
    @ForceInline
    @Hidden
    public static long noteJoined(int callSite) {
        long word = DuckTrack.slot() + NOTE;
        long outer = U.getLong(null, word);
        U.putLong(null, word, note(callSite) | JOINED);
        return outer;
    }

    /** In the bodies of StringBuilder whose objects such a chain counts; gives the note until then. */
    @ForceInline
    @Hidden
    public static long noteCountedIfJoined() {
        long word = DuckTrack.slot() + NOTE;
        long outer = U.getLong(null, word);
        if ((outer & JOINED) != 0) {
            U.putLong(null, word, note(COUNTED));
        }
        return outer;
    }

    /** Notes a call site after another; 0: none is under way. */
    @ForceInline
    @Hidden
    public static void setCallSite(int callSite) {
        U.putLong(null, DuckTrack.slot() + NOTE, note(callSite));
    }

    /** Sets the note again that {@link #noteCallSite} gave. */
    @ForceInline
    @Hidden
    public static void restoreNote(long note) {
        U.putLong(null, DuckTrack.slot() + NOTE, note);
    }
}
