package ducktrack.published;

import java.io.File;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.ArrayList;
import java.util.List;

/**
 * An application is deployed again and again, each time in a class loader of its own with its own Groovy, which it uses for one call. Groovy keeps what it knows of
 * {@code java.lang.String} in a {@code ClassValue}, and that keeps the loader (GROOVY-12142, JDK-8136353). The control
 * has one Groovy for all applications.
 *
 * <p>KIND class loader HALF build HEAP 64 LIBRARY groovy
 *
 * <p>CULPRIT java.lang.Class.classValueMap java.lang.ClassValue$ClassValueMap. ducktrack.published.GroovyClassValues.deploy
 * org.codehaus.groovy.reflection.ClassInfo.
 */
public final class GroovyClassValues {
    private static final boolean IS_REPAIRED = Boolean.getBoolean("ducktrack.leaks.repaired");

    private GroovyClassValues() {}

    /** Takes no words. */
    public static void main(String[] words) throws Exception {
        List<URL> jars = new ArrayList<>();
        for (String file : System.getProperty("java.class.path").split(File.pathSeparator)) {
            if (file.endsWith(".jar")) {
                jars.add(new File(file).toURI().toURL());
            }
        }
        if (IS_REPAIRED) {
            try (URLClassLoader once = new URLClassLoader(jars.toArray(new URL[0]), ClassLoader.getPlatformClassLoader())) {
                for (int deployment = 0; deployment < 20; deployment++) {
                    deploy(new URL[0], once);
                }
            }
            return;
        }
        for (int deployment = 0; deployment < 20; deployment++) {
            deploy(jars.toArray(new URL[0]), ClassLoader.getPlatformClassLoader());
        }
    }

    private static void deploy(URL[] jars, ClassLoader parent) throws Exception {
        try (URLClassLoader loader = new URLClassLoader(jars, parent)) {
            Class<?> helper = loader.loadClass("org.codehaus.groovy.runtime.InvokerHelper");
            Object size = helper.getMethod("invokeMethod", Object.class, String.class, Object.class).invoke(null, "shop", "size", null);
            if (!Integer.valueOf(4).equals(size)) {
                throw new IllegalStateException(String.valueOf(size));
            }
        }
    }
}
