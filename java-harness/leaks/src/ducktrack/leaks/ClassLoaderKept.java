package ducktrack.leaks;

import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;

/**
 * A plug-in is loaded anew again and again; a registry keeps an object of each version, and so its class and its loader.
 *
 * <p>CULPRIT ducktrack.leaks.ClassLoaderKept$Started made in ducktrack.leaks.ClassLoaderKept.reload
 * held by static ducktrack.leaks.ClassLoaderKept.STARTED
 */
public final class ClassLoaderKept {
    private static final List<Started> STARTED = new ArrayList<>();
    private static final int STEPS_PER_VERSION = 10;

    private ClassLoaderKept() {}

    private record Started(Object plugin) {}

    /** What is loaded. */
    public static final class Plugin {
        static final byte[] STATE = new byte[10_000];
    }

    private static final class PluginLoader extends ClassLoader {
        private final byte[] code;

        PluginLoader(byte[] code) {
            super(ClassLoaderKept.class.getClassLoader());
            this.code = code;
        }

        Object start() throws ReflectiveOperationException {
            Class<?> plugin = defineClass(Plugin.class.getName(), code, 0, code.length);
            return plugin.getConstructor().newInstance();
        }
    }

    private static void reload(byte[] code) throws ReflectiveOperationException {
        PluginLoader loader = new PluginLoader(code);
        STARTED.add(new Started(loader.start()));
    }

    /** Takes no words. */
    public static void main(String[] words) throws Exception {
        byte[] code;
        try (InputStream in = ClassLoaderKept.class.getResourceAsStream("ClassLoaderKept$Plugin.class")) {
            code = in.readAllBytes();
        }
        Work.steps(number -> {
            if (number % STEPS_PER_VERSION == 0) {
                reload(code);
            }
        });
    }
}
