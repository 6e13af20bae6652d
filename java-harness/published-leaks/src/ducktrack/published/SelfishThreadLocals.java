package ducktrack.published;

/**
 * A parser for each request, with a thread-local of its own whose value refers to the parser. The thread's map holds the thread-local weakly and the value strongly, which holds the
 * thread-local (JDK-6254531). The control removes the value.
 *
 * <p>KIND thread-locals that hold themselves HALF held-out HEAP 64
 *
 * <p>CULPRIT java.lang.Thread.threadLocals java.lang.ThreadLocal$ThreadLocalMap. ducktrack.published.SelfishThreadLocals$Parser. ducktrack.published.SelfishThreadLocals.main
 */
public final class SelfishThreadLocals {
    private static final boolean IS_REPAIRED = Boolean.getBoolean("ducktrack.leaks.repaired");

    private SelfishThreadLocals() {}

    private static final class Parser {
        private final ThreadLocal<State> state = ThreadLocal.withInitial(() -> new State(this));

        int parse(int text) {
            State mine = state.get();
            mine.buffer[text % mine.buffer.length] = (byte) text;
            return mine.buffer.length;
        }

        void end() {
            state.remove();
        }
    }

    private static final class State {
        private final Parser parser;
        private final byte[] buffer = new byte[500];

        State(Parser parser) {
            this.parser = parser;
        }
    }

    /** Takes no words. */
    public static void main(String[] words) {
        long sum = 0;
        for (int request = 0; request < 60_000; request++) {
            Parser parser = new Parser();
            sum += parser.parse(request) + new byte[4_000].length;
            if (IS_REPAIRED) {
                parser.end();
            }
        }
        System.out.println(sum);
    }
}
