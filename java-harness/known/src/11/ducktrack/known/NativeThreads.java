package ducktrack.known;

// PROGRAM tags=threads,jni options=-Djava.library.path=target/native
// EXPECT
//   called called newarray int[]  200_000 bytes=24
//   raised called new Stop        2_000
//   made   -      jni Bare        200 bytes=16
// END
/** 200 threads of native code that attach, allocate in Java and by JNI, and detach; their threads began before the VM knew them. */
final class NativeThreads {
    private static final int THREADS = 200;
    private static final int CALLS = 1_000;

    static final class Bare {
        int value;
    }

    private static final class Stop extends RuntimeException {
        private static final long serialVersionUID = 1;

        Stop() {
            super(null, null, false, false);
        }
    }

    static {
        System.loadLibrary("known");
    }

    /** Runs {@code threads} threads, a few at once, each of which makes one {@link Bare} and calls {@link #called} that often. */
    private static native int attach(Class<?> bare, int threads, int calls);

    private static int called(int i) {
        int length = new int[2].length; // SITE called
        if (i % 100 == 0) {
            throw new Stop(); // SITE raised
        }
        return length;
    }

    public static void main(String[] words) throws Exception {
        int sum = attach(Bare.class, THREADS, CALLS);
        Known.of(NativeThreads.class)
                .count("called", (long) THREADS * CALLS).count("raised", THREADS * CALLS / 100).count("made", THREADS)
                .done(sum);
    }
}
