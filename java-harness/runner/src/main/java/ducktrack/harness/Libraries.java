package ducktrack.harness;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.MalformedURLException;
import java.net.URISyntaxException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The build folder and the class path of each group of workloads in it: {@code lib/GROUP/*.jar}. */
final class Libraries {
    private Libraries() {}

    /** The folder that holds {@code harness.jar}. */
    static Path target() {
        try {
            return Path.of(Libraries.class.getProtectionDomain().getCodeSource().getLocation().toURI()).getParent();
        } catch (URISyntaxException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    static Workload load(Catalog entry) throws Unavailable, ReflectiveOperationException, IOException {
        Path folder = target().resolve("lib").resolve(entry.group());
        if (!Files.exists(folder.resolve("driver.jar"))) {
            throw new Unavailable("no " + folder + "/driver.jar: run scripts/harness-build, and see what it says is missing");
        }
        URL[] jars;
        try (Stream<Path> files = Files.list(folder)) {
            List<Path> sorted = files.filter(file -> file.toString().endsWith(".jar")).sorted().toList();
            jars = sorted.stream().map(Libraries::url).toArray(URL[]::new);
        }
        ClassLoader loader = new URLClassLoader(entry.group(), jars, Workload.class.getClassLoader());
        Thread.currentThread().setContextClassLoader(loader);
        return (Workload) loader.loadClass(entry.className()).getDeclaredConstructor().newInstance();
    }

    private static URL url(Path jar) {
        try {
            return jar.toUri().toURL();
        } catch (MalformedURLException impossible) {
            throw new UncheckedIOException(impossible);
        }
    }
}
