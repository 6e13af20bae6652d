import java.util.Arrays;

/**
 * Calls of library methods whose results stay alive. A line that ends with {@code //=} says what it keeps in each round of {@code main} of what is made inside the
 * library, by type: in the end this many are alive under that line, times the rounds, and nothing else.
 */
public class LiveCallers {
    static final int TIMES = 4_000;
    static final String TEXT = "0123456789";
    static final byte[] BYTES = new byte[24];
    static final Object[] KEPT = new Object[TIMES * 5];
    static int kept;
    static volatile Object sink;

    public static void main(String[] arguments) throws InterruptedException {
        for (int i = 0; i < TIMES; i++) {
            if (i == TIMES / 4) {
                // From now on the agent has numbers for these callers.
                Thread.sleep(1_000);
            }
            keep(TEXT.substring(1, 5)); //= java.lang.String 1 byte[] 1
            oneOfTwo();
            keep(Arrays.copyOf(BYTES, 5)); //= byte[] 1
            keep(Arrays.copyOf(BYTES, 3_000)); //= byte[] 1
            built();
            garbage();
        }
        // Objects that young collections promoted, and those that they left: all of them move once more.
        System.gc();
        System.out.println("DONE");
    }

    static void keep(Object object) {
        KEPT[kept++] = object;
    }

    /** The same places of the library for two callers; what one of them has dies. */
    static void oneOfTwo() {
        sink = TEXT.substring(2, 6);
        keep(TEXT.substring(3, 7)); //= java.lang.String 1 byte[] 1
    }

    /** The builder's own arrays die. */
    static void built() {
        StringBuilder builder = new StringBuilder(2);
        builder.append(TEXT).append(TEXT);
        keep(builder.toString()); //= java.lang.String 1 byte[] 1
    }

    /** So that there are collections, and enough events for several files. */
    static void garbage() {
        for (int i = 0; i < 200; i++) {
            sink = new byte[100];
        }
    }
}
