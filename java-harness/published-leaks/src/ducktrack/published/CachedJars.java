package ducktrack.published;

import java.io.InputStream;
import java.net.URL;
import java.net.URLConnection;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/**
 * Each plug-in is a jar of its own, of which one file is read. The JDK keeps every jar that was opened by its URL (Tomcat's JreMemoryLeakPreventionListener, urlCacheProtection). The
 * control says that it wants no cache.
 *
 * <p>KIND JDK HALF held-out HEAP 32
 *
 * <p>CULPRIT sun.net.www.protocol.jar.JarFileFactory.fileCache sun.net.www.protocol.jar.JarFileFactory.urlCache
 */
public final class CachedJars {
    private static final boolean IS_REPAIRED = Boolean.getBoolean("ducktrack.leaks.repaired");

    private CachedJars() {}

    private static void write(Path jar, int plugin) throws Exception {
        try (ZipOutputStream out = new ZipOutputStream(Files.newOutputStream(jar))) {
            out.setLevel(0);
            for (int entry = 0; entry < 120; entry++) {
                out.putNextEntry(new ZipEntry("plugin-" + plugin + "/messages/of/a/page/page-" + entry + ".properties"));
                out.write(entry);
            }
        }
    }

    /** Takes no words. */
    public static void main(String[] words) throws Exception {
        Path folder = Files.createTempDirectory("plugins");
        int sum = 0;
        for (int plugin = 0; plugin < 600; plugin++) {
            Path jar = folder.resolve(plugin + ".jar");
            write(jar, plugin);
            URL url = new URL("jar:" + jar.toUri() + "!/plugin-" + plugin + "/messages/of/a/page/page-7.properties");
            URLConnection connection = url.openConnection();
            if (IS_REPAIRED) {
                connection.setUseCaches(false);
            }
            try (InputStream in = connection.getInputStream()) {
                sum += in.read();
            }
            Files.delete(jar);
        }
        Files.delete(folder);
        System.out.println(sum);
    }
}
