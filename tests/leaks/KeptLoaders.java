import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Forty objects, each of a class from a loader of its own; and a dozen direct buffers.
 *
 * <p>{@code java KeptLoaders [free]}: with the word it drops the objects, and prints how many bytes that frees.
 */
public final class KeptLoaders {
    private static final List<Object> KEPT = new ArrayList<>();
    private static final List<ByteBuffer> BUFFERS = new ArrayList<>();

    private KeptLoaders() {}

    /** A plug-in with a cache. */
    public static final class Plugin {
        static final Map<String, Object> CACHE = new HashMap<>();

        static {
            for (int at = 0; at < 100; at++) {
                CACHE.put("key " + at, new byte[100]);
            }
        }

        /** Reflection looks at the class. */
        public Plugin() {
            Plugin.class.getDeclaredMethods();
        }
    }

    private static final class PluginLoader extends ClassLoader {
        private final byte[] code;

        PluginLoader(byte[] code) {
            super(KeptLoaders.class.getClassLoader());
            this.code = code;
        }

        Object plugin() throws Exception {
            return defineClass("KeptLoaders$Plugin", code, 0, code.length).getDeclaredConstructor().newInstance();
        }
    }

    /** The loader of a program that runs: a thread works with it, and there is no other of its type. */
    private static final class OwnLoader extends ClassLoader {
        OwnLoader(byte[] code) throws Exception {
            super(KeptLoaders.class.getClassLoader());
            defineClass("KeptLoaders$Plugin", code, 0, code.length).getDeclaredConstructor().newInstance();
            Thread worker = new Thread(() -> {
                try {
                    Thread.sleep(60_000);
                } catch (InterruptedException end) {
                    return;
                }
            });
            worker.setContextClassLoader(this);
            worker.setDaemon(true);
            worker.start();
        }
    }

    /** The only one of its type, too, but nobody works with it. */
    private static final class LeftLoader extends ClassLoader {
        LeftLoader(byte[] code) throws Exception {
            super(KeptLoaders.class.getClassLoader());
            defineClass("KeptLoaders$Plugin", code, 0, code.length).getDeclaredConstructor().newInstance();
        }
    }

    private static ClassLoader left;

    private static long used() {
        for (int at = 0; at < 4; at++) {
            System.gc();
        }
        Runtime runtime = Runtime.getRuntime();
        return runtime.totalMemory() - runtime.freeMemory();
    }

    /** The words of the class comment. */
    public static void main(String[] words) throws Exception {
        byte[] code = KeptLoaders.class.getResourceAsStream("KeptLoaders$Plugin.class").readAllBytes();
        for (int at = 0; at < 40; at++) {
            KEPT.add(new PluginLoader(code).plugin());
        }
        left = new LeftLoader(code);
        new OwnLoader(code);
        for (int at = 0; at < 12; at++) {
            BUFFERS.add(ByteBuffer.allocateDirect(4 << 20));
        }
        long before = used();
        if (words.length > 0) {
            KEPT.clear();
            System.out.println(before - used());
        }
    }
}
