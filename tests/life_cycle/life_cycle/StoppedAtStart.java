/**
 * Threads that are stopped right after they were started.
 *
 * <p>{@code java StoppedAtStart [LIBRARY]}: with {@code Thread.stop}, or with a debugger's {@code StopThread}, which the library calls.
 */
public final class StoppedAtStart {
    private static final int THREADS = 40;
    private static final long MOST_MILLIS = 5_000;

    static volatile Object made;

    private StoppedAtStart() {}

    private static native int stop(Thread thread, Throwable with);

    /** Prints how many threads went on. */
    @SuppressWarnings({"deprecation", "removal"}) // it is what is tried here
    public static void main(String[] words) throws Exception {
        if (words.length > 0) {
            System.load(words[0]);
        }
        int running = 0;
        for (int number = 0; number < THREADS; number++) {
            Thread thread = new Thread(() -> {
                while (true) {
                    made = new int[2];
                }
            });
            thread.setDaemon(true);
            thread.setUncaughtExceptionHandler((which, thrown) -> { });
            thread.start();
            // Sometimes before it runs, sometimes after.
            Thread.sleep(0, number % 4 * 20_000);
            if (words.length == 0) {
                thread.stop();
            } else if (stop(thread, new IllegalStateException("stopped")) != 0) {
                // It is not alive yet: JVMTI stops no such thread.
                Thread.sleep(20);
                stop(thread, new IllegalStateException("stopped"));
            }
            thread.join(MOST_MILLIS);
            running += thread.isAlive() ? 1 : 0;
        }
        System.out.println("STILL RUNNING " + running);
        Runtime.getRuntime().halt(0);
    }
}
