import java.util.function.Supplier;

/**
 * Calls of library methods that allocate for their caller. A line that ends with {@code //=} says what it makes inside the library in each round of {@code main},
 * by type: that, and nothing else, must be filed under that line.
 */
public class KnownCallers {
    static final int TIMES = 20_000;
    static final String TEXT = "0123456789";
    static volatile Object sink;

    public static void main(String[] arguments) throws InterruptedException {
        for (int i = 0; i < TIMES; i++) {
            if (i == TIMES / 4) {
                // From now on events have numbers for these callers.
                Thread.sleep(1_000);
            }
            one();
            chained();
            behindBranches(i);
            around();
            behindException();
            copies();
            concatenates(i);
            fails(i);
            sink = reads(TEXT);
        }
        System.out.println("DONE");
    }

    static void one() {
        sink = TEXT.substring(1, 5); //= java.lang.String 1 byte[] 1
    }

    /** Growth is what the append makes that needs more room. */
    static void chained() {
        StringBuilder builder = new StringBuilder(2); //= byte[] 1
        builder
                .append("abcdefgh") //= byte[] 1
                .append("ij") //= byte[] 1
                .append("abcdefghijklmnopqrstuvwxyz"); //= byte[] 1
        builder.append('c');
        sink = builder.toString(); //= java.lang.String 1 byte[] 1
    }

    static void behindBranches(int i) {
        StringBuilder builder = new StringBuilder(4); //= byte[] 1
        if ((i & 1) == 0) {
            builder.append("ab");
        } else {
            builder.append("cd");
        }
        builder.append("0123456789"); //= byte[] 1
        for (int round = 0; round < 2; round++) {
            builder.append(builder.length()); //= byte[] 1
        }
        sink = builder;
    }

    /** The library calls a method of the program, which calls the library. */
    static void around() {
        Object named = NAMED;
        sink = new StringBuilder(4) //= byte[] 1
                .append(named) //= byte[] 1
                .append("a text that needs more room"); //= byte[] 1
    }

    static final Object NAMED = new Object() {
        @Override
        public String toString() {
            return TEXT.substring(2, 9); //= java.lang.String 1 byte[] 1
        }
    };

    static void behindException() {
        try {
            sink = TEXT.substring(9, 99);
        } catch (StringIndexOutOfBoundsException expected) {
            sink = TEXT.substring(3, 6); //= java.lang.String 1 byte[] 1
        }
        sink = TEXT.substring(3, 7); //= java.lang.String 1 byte[] 1
    }

    static void copies() {
        byte[] bytes = BYTES;
        sink = java.util.Arrays.copyOf(bytes, 5); //= byte[] 1
        sink = new String(bytes, 0, 2, java.nio.charset.StandardCharsets.ISO_8859_1); //= byte[] 1
    }

    static final byte[] BYTES = {65, 66, 67};

    static void concatenates(int i) {
        sink = "number " + i; //= java.lang.String 1 byte[] 1
    }

    /** The VM makes the stack trace of an exception: for every 32 frames five arrays. */
    static void fails(int i) {
        sink = new Exception(); //= java.lang.Object[] 2 short[] 1 int[] 1 long[] 1
        sink = new Failure(i);
        sink = FAILURE.fillInStackTrace(); //= java.lang.Object[] 2 short[] 1 int[] 1 long[] 1
        sink = new Failure();
        sink = deep(40);
        sink = MAKER.get();
    }

    static final Throwable FAILURE = new Exception();
    /** Its class has no lines. */
    static final Supplier<Throwable> MAKER = Exception::new;

    static Throwable deep(int frames) {
        return frames > 0
                ? deep(frames - 1)
                : new Error(TEXT); //= java.lang.Object[] 4 short[] 2 int[] 2 long[] 2
    }

    static final class Failure extends RuntimeException {
        private static final long serialVersionUID = 1;

        Failure() {
            super(TEXT, null, false, false);
        }

        Failure(int i) {
            super(i < 0 ? null : TEXT); //= java.lang.Object[] 2 short[] 1 int[] 1 long[] 1
        }
    }

    /** Nothing of this allocates. */
    static int reads(String text) {
        int sum = text.length() + text.hashCode();
        for (int i = 0; i < text.length(); i++) {
            sum += text.charAt(i);
        }
        return text.startsWith("01") && !text.isEmpty() ? sum + text.indexOf('7') : 0;
    }
}
