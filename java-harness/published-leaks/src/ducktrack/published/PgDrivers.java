package ducktrack.published;

import java.io.File;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.ArrayList;
import java.util.List;

/**
 * An application with its own database driver is deployed and taken away again and again. A driver registers itself with the JDK, which keeps it and so the application's class loader. The
 * control takes it back (pgjdbc has Driver.deregister for that).
 *
 * <p>KIND class loaders kept by drivers HALF held-out HEAP 64 LIBRARY pgjdbc
 *
 * <p>CULPRIT java.sql.DriverManager. ducktrack.published.PgDrivers.deploy
 */
public final class PgDrivers {
    private static final boolean IS_REPAIRED = Boolean.getBoolean("ducktrack.leaks.repaired");

    private PgDrivers() {}

    /** Takes no words. */
    public static void main(String[] words) throws Exception {
        List<URL> jars = new ArrayList<>();
        for (String file : System.getProperty("java.class.path").split(File.pathSeparator)) {
            if (file.endsWith(".jar")) {
                jars.add(new File(file).toURI().toURL());
            }
        }
        for (int deployment = 0; deployment < 150; deployment++) {
            deploy(jars.toArray(new URL[0]));
        }
    }

    private static void deploy(URL[] jars) throws Exception {
        try (URLClassLoader loader = new URLClassLoader(jars, ClassLoader.getPlatformClassLoader())) {
            Class<?> driver = Class.forName("org.postgresql.Driver", true, loader);
            Object properties = driver.getMethod("parseURL", String.class, java.util.Properties.class)
                    .invoke(null, "jdbc:postgresql://localhost/shop", new java.util.Properties());
            if (properties == null) {
                throw new IllegalStateException("no properties");
            }
            if (IS_REPAIRED) {
                driver.getMethod("deregister").invoke(null);
            }
        }
    }
}
