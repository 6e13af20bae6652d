package ducktrack.leaks;

/**
 * The classic of Bond and McKinley: objects of an inner class are swapped between outer objects that last and new ones; the inner ones keep the new outer
 * objects, and those what they had been given.
 *
 * <p>CULPRIT ducktrack.leaks.SwapLeak made in ducktrack.leaks.SwapLeak.exchange held by static ducktrack.leaks.SwapLeak.LASTING
 */
public final class SwapLeak {
    private static final SwapLeak[] LASTING = new SwapLeak[20];

    private final byte[] content = new byte[1500];
    private Part part = new Part();

    /** Knows its outer object. */
    private final class Part {
        int uses() {
            return content.length;
        }
    }

    private void swap(SwapLeak other) {
        Part mine = part;
        part = other.part;
        other.part = mine;
    }

    private static void exchange(int number) {
        SwapLeak lasting = LASTING[number % LASTING.length];
        SwapLeak fresh = new SwapLeak();
        lasting.swap(fresh);
    }

    /** Takes no words. */
    public static void main(String[] words) throws Exception {
        for (int at = 0; at < LASTING.length; at++) {
            LASTING[at] = new SwapLeak();
        }
        Work.steps(number -> {
            exchange(number);
            LASTING[0].part.uses();
        });
    }
}
