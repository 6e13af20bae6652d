/** Objects made by native code in awkward ways: {@code JniProbe LIBRARY [rules-are-broken]}. Counts are said where they are made. */
public final class JniProbe {
    static final int ROUNDS = 2_000;

    static final class Many {
        final String all;

        Many(int i, double d1, long j, float f, byte b, double d2, short s, double d3, char c, double d4, boolean z, double d5,
                Object reference, double d6, double d7, double d8, double d9, int i2, long j2, int i3) {
            all = i + " " + d1 + " " + j + " " + f + " " + b + " " + d2 + " " + s + " " + d3 + " " + (int) c + " " + d4 + " " + z + " "
                    + d5 + " " + reference + " " + d6 + " " + d7 + " " + d8 + " " + d9 + " " + i2 + " " + j2 + " " + i3;
        }

        static String expected(int seed, Object reference) {
            return seed + " " + (seed + 0.5) + " " + ((long) seed << 33) + " " + (seed + 0.25f) + " " + (byte) seed + " "
                    + (seed + 1.5) + " " + (short) seed + " " + (seed + 2.5) + " " + (int) (char) seed + " " + (seed + 3.5) + " "
                    + ((seed & 1) != 0) + " " + (seed + 4.5) + " " + reference + " " + (seed + 5.5) + " " + (seed + 6.5) + " "
                    + (seed + 7.5) + " " + (seed + 8.5) + " " + (seed + 1) + " " + ((long) seed << 34) + " " + (seed + 2);
        }
    }

    static final class Plain {
        long value = 7;
    }

    static final class Throwing {
        int value;

        Throwing() {
            throw new IllegalStateException("from the constructor");
        }
    }

    abstract static class Abstract {}

    static native Object manyArguments(Class<?> many, int seed, Object reference);

    static native Object noArguments(Class<?> type);

    static native String wide(int length);

    static native String utf(boolean wide);

    static native Object afterException(Class<?> type);

    static native void whilePending(Class<?> exception);

    static native void inAttachedThread(int rounds);

    static native void arrays(int rounds);

    private static void check(boolean holds, Object what) {
        if (!holds) {
            throw new AssertionError(what);
        }
    }

    /** ROUNDS of Many, Plain, Throwing (which are made, then thrown away), none of Abstract; 2 x ROUNDS strings in wide and in utf. */
    static void rounds() {
        for (int i = 0; i < ROUNDS; i++) {
            Many many = (Many) manyArguments(Many.class, i, "reference");
            check(many.all.equals(Many.expected(i, "reference")), many.all);
            check(((Plain) noArguments(Plain.class)).value == 7, "Plain");
            try {
                check(noArguments(Throwing.class) == null, "an exception must be pending");
                throw new AssertionError("nothing was thrown");
            } catch (IllegalStateException expected) {
                check("from the constructor".equals(expected.getMessage()), expected);
            }
            check(afterException(Abstract.class) instanceof InstantiationException, "Abstract");
            check(wide(10).length() == 10 && wide(0).isEmpty(), "wide");
            check(utf(true).length() == 6 && utf(false).isEmpty(), "utf");
        }
    }

    /** ROUNDS of int[2]. */
    static void breakTheRules() {
        for (int i = 0; i < ROUNDS; i++) {
            try {
                whilePending(IllegalStateException.class);
                throw new AssertionError("nothing was thrown");
            } catch (IllegalStateException expected) {
                check("left pending".equals(expected.getMessage()), expected);
            }
        }
    }

    public static void main(String[] words) throws Exception {
        System.load(words[0]);
        Thread[] threads = new Thread[4];
        for (int i = 0; i < threads.length; i++) {
            threads[i] = new Thread(JniProbe::rounds);
            threads[i].start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        arrays(ROUNDS);
        if (words.length > 1) {
            breakTheRules();
        }
        for (int i = 0; i < 10; i++) {
            inAttachedThread(ROUNDS);
        }
        System.out.println("DONE");
    }
}
