package java.lang;

/**
 * Methods of the JDK call this class when they get memory outside of the heap for Java code, or give it back. These calls are rare: each of
 * them enters the agent, which takes the stack of the current thread for memory that is new.
 */
public final class DuckTrackOffHeap {
    private DuckTrackOffHeap() {}

    /** {@code Unsafe} is asked for this many bytes; {@link #allocated} follows if it has them. */
    public static native void asked(long bytes);

    /** It has them at this address. */
    public static native void allocated(long address);

    /** Memory of another kind was made, which has this key until it is released. */
    public static native void made(long key, long bytes, int kind);

    /** A thread is about to start, with a stack of this many bytes; 0: the VM's default. */
    public static native void starts(long thread, long stackBytes);

    /** It was started. */
    public static native void started(long thread);

    /** Memory is about to be released, if it is not yet. */
    public static native void released(long key, int kind);
}
