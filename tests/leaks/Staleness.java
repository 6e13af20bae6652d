/**
 * Objects whose last use is known. Of each kind of use there are ROUNDS objects, made in a method of its own ({@code make}); the object number r is used
 * last in round r, in this way only, and each round ends with a collection. Those of {@link Unused} are held and looked up like the others, and never used.
 *
 * <p>Each use is repeated, so that it is compiled where the VM compiles. Prints what the uses came to.
 */
final class Staleness {
    static final int ROUNDS = 9;
    static final int REPEATED = 12_000;

    static class Plain {
        int number = 1;
        long wide = 2;
        Object reference;

        int nothing() {
            return 3;
        }

        synchronized int locked() {
            return 4;
        }
    }

    static class Special extends Plain {}

    static long sum;
    static Object sink;
    static final Object OTHER = new Object();

    abstract static class Kind {
        abstract Object make();

        abstract void use(Object object);
    }

    static final class Unused extends Kind {
        Object make() { return new Plain(); }
        void use(Object object) { sink = object; }
    }

    static final class Getfield extends Kind {
        Object make() { return new Plain(); }
        void use(Object object) { get(object); }
        // The cast is a use of its own; it is of the same object.
        static void get(Object object) { sum += ((Plain) object).number; }
    }

    static final class Putfield extends Kind {
        Object make() { return new Plain(); }
        void use(Object object) { ((Plain) object).number = 5; }
    }

    static final class PutWideField extends Kind {
        Object make() { return new Plain(); }
        void use(Object object) { ((Plain) object).wide = 6; }
    }

    static final class PutReference extends Kind {
        Object make() { return new Plain(); }
        void use(Object object) { ((Plain) object).reference = OTHER; }
    }

    static final class Receiver extends Kind {
        Object make() { return new Plain(); }
        void use(Object object) { sum += ((Plain) object).nothing(); }
    }

    static final class Monitor extends Kind {
        Object make() { return new Plain(); }
        void use(Object object) {
            synchronized (object) {
                sum++;
            }
        }
    }

    static final class Cast extends Kind {
        Object make() { return new Special(); }
        void use(Object object) { sink = (Special) object; sink = null; }
    }

    static final class Instanceof extends Kind {
        Object make() { return new Plain(); }
        void use(Object object) { sum += object instanceof Special ? 1 : 2; }
    }

    static final class Same extends Kind {
        Object make() { return new Plain(); }
        void use(Object object) { sum += object == OTHER ? 1 : 2; }
    }

    static final class Native extends Kind {
        Object make() { return new Plain(); }
        void use(Object object) { sink = object.getClass(); }
    }

    static final class Length extends Kind {
        Object make() { return new float[7]; }
        void use(Object object) { length(object); }
        static void length(Object object) { sum += ((float[]) object).length; }
    }

    static final class LoadInt extends Kind {
        Object make() { return new int[7]; }
        void use(Object object) { sum += ((int[]) object)[3]; }
    }

    static final class LoadLong extends Kind {
        Object make() { return new long[7]; }
        void use(Object object) { sum += ((long[]) object)[3]; }
    }

    static final class LoadReference extends Kind {
        Object make() { return new String[7]; }
        void use(Object object) { sink = ((Object[]) object)[3]; }
    }

    static final class StoreByte extends Kind {
        Object make() { return new byte[7]; }
        void use(Object object) { ((byte[]) object)[3] = 1; }
    }

    static final class StoreDouble extends Kind {
        Object make() { return new double[7]; }
        void use(Object object) { ((double[]) object)[3] = 1; }
    }

    static final class StoreReference extends Kind {
        Object make() { return new Object[7]; }
        void use(Object object) { ((Object[]) object)[3] = OTHER; }
    }

    /** A loop over numbers without any call in it. */
    static final class Loop extends Kind {
        Object make() { return new short[64]; }
        void use(Object object) {
            short[] numbers = (short[]) object;
            for (int i = 0; i < numbers.length; i++) {
                sum += numbers[i];
            }
        }
    }

    /** Used by the JDK's code only. */
    static final class ByLibrary extends Kind {
        Object make() { return new char[7]; }
        void use(Object object) { sum += java.util.Arrays.hashCode((char[]) object); }
    }

    /** Used by another thread, once in each round. */
    static final class OtherThread extends Kind {
        final int[] calls = new int[ROUNDS];
        Object make() { return new Plain(); }
        void use(Object object) {
            if (calls[round]++ < ROUNDS - round) {
                Thread thread = new Thread(() -> sum += ((Plain) object).wide);
                thread.start();
                try {
                    thread.join();
                } catch (InterruptedException interrupted) {
                    throw new AssertionError(interrupted);
                }
            }
        }
    }

    static int round;

    static final Kind[] KINDS = {
        new Unused(), new Getfield(), new Putfield(), new PutWideField(), new PutReference(), new Receiver(), new Monitor(), new Cast(),
        new Instanceof(), new Same(), new Native(), new Length(), new LoadInt(), new LoadLong(), new LoadReference(), new StoreByte(),
        new StoreDouble(), new StoreReference(), new Loop(), new ByLibrary(), new OtherThread(),
    };

    public static void main(String[] arguments) {
        int repeated = Integer.getInteger("repeated", REPEATED);
        Object[][] objects = new Object[KINDS.length][ROUNDS];
        for (int kind = 0; kind < KINDS.length; kind++) {
            for (int i = 0; i < ROUNDS; i++) {
                objects[kind][i] = KINDS[kind].make();
            }
        }
        for (round = 0; round < ROUNDS; round++) {
            for (int kind = 0; kind < KINDS.length; kind++) {
                repeat(KINDS[kind], objects[kind], repeated);
            }
            sink = null;
            System.gc();
        }
        System.out.println(sum + " " + objects.length);
    }

    /** Objects that are due later are used as well, so the last use is not the only one. */
    private static void repeat(Kind kind, Object[] objects, int times) {
        for (int i = 0; i < times; i++) {
            kind.use(objects[round + i % (ROUNDS - round)]);
        }
    }
}
