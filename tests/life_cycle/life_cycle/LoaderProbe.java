import java.io.IOException;
import java.io.InputStream;
import java.util.concurrent.Callable;

/**
 * Class loaders whose own code allocates, or that know less than others.
 *
 * <p>{@code java LoaderProbe asks-itself | busy | knows-little}; each makes {@code OBJECTS} objects in a class of the loader and prints DONE.
 */
public final class LoaderProbe {
    private static final int OBJECTS = 1_000;

    private LoaderProbe() {}

    /** What a loader defines, and what may be a part of it. */
    public static final class Part implements Callable<Object> {
        @Override
        public Object call() {
            return new Object[1];
        }
    }

    /** The first class that a loader defines. */
    static final class First {
        private First() {}

        static Object make() {
            return new Object[2];
        }
    }

    /** Defines {@link Part} by itself, and calls one, if it has one, whenever it is asked for a class. */
    static class Loader extends ClassLoader {
        Callable<?> part;
        int asked;

        Loader() {
            super(LoaderProbe.class.getClassLoader());
        }

        Class<?> define(String name) throws ClassNotFoundException {
            try (InputStream file = LoaderProbe.class.getResourceAsStream(name + ".class")) {
                byte[] bytes = file.readAllBytes();
                return defineClass(name, bytes, 0, bytes.length);
            } catch (IOException problem) {
                throw new ClassNotFoundException(name, problem);
            }
        }

        Callable<?> makePart() throws Exception {
            return (Callable<?>) define("LoaderProbe$Part").getDeclaredConstructor().newInstance();
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            asked++;
            call(part);
            return super.loadClass(name, resolve);
        }

        static void call(Callable<?> part) throws ClassNotFoundException {
            try {
                if (part != null) {
                    part.call();
                }
            } catch (Exception problem) {
                throw new ClassNotFoundException("part", problem);
            }
        }
    }

    /** Makes its part when it is asked for the first time: by the code that looks at its first class before the VM does. */
    static final class Busy extends Loader {
        private boolean making;

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (part == null && !making) {
                making = true;
                try {
                    part = makePart();
                } catch (Exception problem) {
                    throw new ClassNotFoundException(name, problem);
                }
            }
            return super.loadClass(name, resolve);
        }
    }

    /** Knows no class that was not there when it was written. */
    static final class KnowsLittle extends Loader {
        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (name.startsWith("java.lang.") && Character.isUpperCase(name.charAt(10)) && !name.equals("java.lang.Object")
                    && !name.equals("java.lang.Exception")) {
                throw new ClassNotFoundException(name);
            }
            return super.loadClass(name, resolve);
        }
    }

    /** See above. */
    public static void main(String[] words) throws Exception {
        switch (words[0]) {
            case "asks-itself": {
                Loader loader = new Loader();
                loader.part = loader.makePart();
                loader.loadClass("java.util.List");
                makeObjects(loader.part);
                break;
            }
            case "busy": {
                Busy loader = new Busy();
                loader.define("LoaderProbe$First");
                // Classes loaded while their loader was busy are counted a moment later.
                Thread.sleep(2_000);
                makeObjects(loader.part);
                break;
            }
            default:
                makeObjects(new KnowsLittle().makePart());
        }
        System.out.println("DONE");
    }

    private static void makeObjects(Callable<?> part) throws Exception {
        for (int number = 0; number < OBJECTS; number++) {
            part.call();
        }
    }
}
