import java.io.IOException;
import java.io.InputStream;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Defines one class again and again, runs it and lets it go.
 *
 * <p>{@code java ClassesThatGo loader|hidden CLASSES PER_SECOND}; 0: as fast as it can. Each definition allocates a known number of objects. Prints the
 * resident kilobytes after a fifth of the classes and at the end.
 */
public final class ClassesThatGo {
    private ClassesThatGo() {}

    /** What a class allocates that another loader defines: its size is not known by the name alone. */
    public static final class Part {
        long first;
        long second;
    }

    /** What a class that is gone can leave behind. */
    public static volatile Object left;

    static final class Loader extends ClassLoader {
        Loader() {
            super(ClassesThatGo.class.getClassLoader());
        }

        Class<?> define(byte[] bytes) {
            return defineClass(null, bytes, 0, bytes.length);
        }
    }

    static byte[] bytes() throws IOException {
        try (InputStream file = ClassesThatGo.class.getResourceAsStream("ClassThatGoes.class")) {
            return file.readAllBytes();
        }
    }

    /** Hidden classes are younger than the oldest JDK that this is compiled for. */
    static Class<?> hidden(byte[] bytes) throws Exception {
        Class<?> option = Class.forName("java.lang.invoke.MethodHandles$Lookup$ClassOption");
        Object none = java.lang.reflect.Array.newInstance(option, 0);
        Method define =
                MethodHandles.Lookup.class.getMethod(
                        "defineHiddenClass", byte[].class, boolean.class, none.getClass());
        MethodHandles.Lookup lookup = MethodHandles.lookup();
        return ((MethodHandles.Lookup) define.invoke(lookup, bytes, true, none)).lookupClass();
    }

    static String resident() throws IOException {
        for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
            if (line.startsWith("VmRSS:")) {
                return line.replaceAll("[^0-9]", "");
            }
        }
        throw new IOException("no VmRSS");
    }

    public static void main(String[] arguments) throws Exception {
        boolean isHidden = arguments[0].equals("hidden");
        int classes = Integer.parseInt(arguments[1]);
        int perSecond = Integer.parseInt(arguments[2]);
        byte[] bytes = bytes();
        for (int number = 1; number <= classes; number++) {
            Class<?> defined = isHidden ? hidden(bytes) : new Loader().define(bytes);
            Constructor<?> constructor = defined.getDeclaredConstructor();
            constructor.setAccessible(true);
            ((Runnable) constructor.newInstance()).run();
            if (perSecond > 0) {
                Thread.sleep(1000 / perSecond);
            }
            if (number % 1000 == 0) {
                System.gc();
            }
            if (number == classes / 5 || number == classes) {
                System.out.println(resident());
            }
        }
    }
}

/** Goes. */
final class ClassThatGoes implements Runnable {
    private Object kept;

    ClassThatGoes() {}

    private void loop(int times) {
        for (int i = 0; i < times; i++) {
            kept = new int[4];
            if (i % 2 == 0) {
                kept = new StringBuilder();
            }
        }
    }

    private Object part() {
        return new ClassesThatGo.Part();
    }

    private Object itself() {
        return new ClassThatGoes();
    }

    private Object many() {
        return new Object[][] {new Object[1], new Object[2], new Object[3]};
    }

    @Override
    public void run() {
        loop(10);
        kept = part();
        kept = itself();
        kept = many();
        ClassesThatGo.left = kept;
        kept = null;
    }
}
