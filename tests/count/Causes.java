import java.util.function.Supplier;

/**
 * Calls of the classes {@code Library*} by the application, which is {@code Causes*}. A line that ends with {@code //> objects bytes charged chargedBytes} says what
 * the call on it brings in each round of {@code main}: inclusive, and charged; {@code once} after it, what it brings besides, in the whole run.
 * Each array of the library has 24 bytes.
 */
public class Causes {
    static final int TIMES = 20_000;
    static final RuntimeException FAILURE = new LibraryFailure();
    static volatile Object sink;
    static int depth;
    /** Linked before anything is counted. */
    static final Runnable AGAIN = Causes::again2;

    public static void main(String[] arguments) throws ClassNotFoundException {
        // Objects made by the loading of classes are in no line.
        Class.forName("Library");
        sink = Integer.valueOf(1_000);
        Class.forName("LibraryOnce", false, Causes.class.getClassLoader());
        for (int i = 0; i < TIMES; i++) {
            plain(i);
            recursion();
            recursionInside();
            if (i % 20 == 0) {
                failingHead();
            }
            exceptions();
            callback();
            constructors();
            dynamic();
            initializer();
            kinds(i);
        }
        System.out.println("DONE");
    }

    static void plain(int i) {
        sink = Library.make(3); //> 3 72 3 72
        if ((i & 1) == 0) {
            sink = Library.make(2); //> 1 24 1 24
        }
        sink = Library.nothing();
    }

    /** The library calls back, which calls the same line again: in the inclusive sum that is once. */
    static void recursion() {
        depth = 3;
        again();
    }

    static void again() {
        if (depth-- > 0) {
            Library.around(Causes::again); //> 6 144 6 144
        }
    }

    /** The same inside of another call. */
    static void recursionInside() {
        Library.around(Causes::recursionAgain); //> 8 192 2 48
    }

    static void recursionAgain() {
        depth = 3;
        again2();
    }

    static void again2() {
        if (depth-- > 0) {
            Library.around(AGAIN); //> 6 144 6 144
        }
    }

    /** What a call makes that fails in the head of a constructor is charged to nobody; all calls after it are right. */
    static void failingHead() {
        try {
            sink = new CausesOfFailingHead();
        } catch (LibraryFailure expected) {
            sink = Library.make(2); //> 0 0 0 0 once 2000 48000 2000 48000
        }
    }

    static void exceptions() {
        try {
            Library.makeAndThrow(2, FAILURE); //> 2 48 2 48
        } catch (LibraryFailure expected) {
            sink = Library.make(1); //> 1 24 1 24
        }
        try {
            through();
        } catch (RuntimeException expected) {
            sink = Library.make(1); //> 1 24 1 24
        } finally {
            sink = Library.make(4); //> 4 96 4 96
        }
        // After exceptions, what is around them is right.
        Library.around(Causes::failing); //> 5 120 2 48
    }

    static void through() {
        Library.makeAndThrow(5, FAILURE); //> 5 120 5 120
    }

    static void failing() {
        try {
            through2();
        } catch (IllegalStateException | LibraryFailure expected) {
            Library.around2(); //> 2 48 2 48
        }
    }

    static void through2() {
        Library.makeAndThrow(1, FAILURE); //> 1 24 1 24
    }

    /** Own objects of a callback are in the inclusive sum of the call around it, and charged to no call. */
    static void callback() {
        Library.around(Causes::called); //> 4 96 2 48
    }

    static void called() {
        sink = new long[1];
        sink = Library.make(1); //> 1 24 1 24
    }

    static void constructors() {
        sink = new Library(2); //> 2 48 2 48
        sink = new CausesOfLibrary();
    }

    static void dynamic() {
        Supplier<Object> supplier = () -> new Library();
        sink = Library.get(supplier); //> 2 40 1 24
    }

    static void initializer() {
        LibraryOnce.touch(); //> 0 0 0 0 once 5 120 5 120
    }

    /** Objects of all kinds: instances, arrays of arrays, boxes, clones, strings. */
    static void kinds(int i) {
        sink = Library.instance(); //> 1 16 1 16
        sink = Library.nested(); //> 4 104 4 104
        sink = Library.constant(); //> 4 104 4 104
        sink = Library.box(1_000 + i); //> 1 16 1 16
        sink = Library.copy(new byte[8]); //> 1 24 1 24
    }
}

class CausesOfLibrary extends Library {
    CausesOfLibrary() {
        super(3); //> 3 72 3 72
    }
}

class CausesOfFailingHead extends Library {
    CausesOfFailingHead() {
        super(Library.failing(Causes.FAILURE));
    }
}

class LibraryFailure extends RuntimeException {
    LibraryFailure() {
        super("expected", null, false, false);
    }
}

class LibraryOnce {
    static final Object[] MADE = Library.array(5);

    static void touch() {}
}

class Library {
    static volatile Object sink;

    Library() {}

    Library(int arrays) {
        sink = make(arrays);
    }

    static Object nothing() {
        return sink;
    }

    static Object make(int arrays) {
        Object last = null;
        for (int i = 0; i < arrays; i++) {
            last = new byte[8];
            sink = last;
        }
        return last;
    }

    static Object[] array(int arrays) {
        make(arrays);
        return null;
    }

    static void makeAndThrow(int arrays, RuntimeException failure) {
        make(arrays);
        throw failure;
    }

    static int failing(RuntimeException failure) {
        throw failure;
    }

    static void around(Runnable middle) {
        make(1);
        middle.run();
        make(1);
    }

    static void around2() {
        try {
            makeAndThrow(2, Causes.FAILURE);
        } catch (RuntimeException expected) {
            sink = expected;
        }
    }

    static Object get(Supplier<Object> supplier) {
        make(1);
        return supplier.get();
    }

    static Object instance() {
        return new Library();
    }

    /** 4 + 3 arrays: 32 bytes of references, and three of 24. */
    static Object nested() {
        return new byte[variable()][8];
    }

    static Object constant() {
        return new byte[3][8];
    }

    static int variable() {
        return sink == null ? 4 : 3;
    }

    static Object box(int value) {
        return Integer.valueOf(value);
    }

    static Object copy(byte[] bytes) {
        return bytes.clone();
    }
}
