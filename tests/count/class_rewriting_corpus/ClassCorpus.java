import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.ZipFile;

/**
 * Class files as the running JVM would load them.
 *
 * <pre>
 * ClassCorpus modules FOLDER [MODULE...]   of its own modules, a folder for each; of all if none is named
 * ClassCorpus jars FOLDER JAR...           of a class path: of each class the first, and of a multi-release jar the one for this JVM
 * </pre>
 */
final class ClassCorpus {
    public static void main(String[] words) throws IOException {
        Path folder = Path.of(words[1]);
        List<String> rest = List.of(words).subList(2, words.length);
        if (words[0].equals("modules")) {
            modules(folder, rest);
        } else {
            for (String jar : rest) {
                jar(folder, new JarFile(new File(jar), false, ZipFile.OPEN_READ, Runtime.version()));
            }
        }
    }

    private static void modules(Path folder, List<String> wanted) throws IOException {
        FileSystem image = FileSystems.getFileSystem(URI.create("jrt:/"));
        List<Path> modules;
        try (Stream<Path> all = Files.list(image.getPath("/modules"))) {
            modules = all.collect(Collectors.toList());
        }
        for (Path module : modules) {
            if (wanted.isEmpty() || wanted.contains(module.getFileName().toString())) {
                copy(image.getPath("/modules"), module, folder);
            }
        }
    }

    private static void copy(Path root, Path module, Path folder) throws IOException {
        List<Path> classes;
        try (Stream<Path> files = Files.walk(module)) {
            classes = files.filter(file -> file.toString().endsWith(".class")).collect(Collectors.toList());
        }
        for (Path file : classes) {
            write(folder.resolve(root.relativize(file).toString()), Files.readAllBytes(file));
        }
    }

    private static void jar(Path folder, JarFile jar) throws IOException {
        for (JarEntry entry : Collections.list(jar.entries())) {
            String name = entry.getName();
            // Another version of a class is found by the plain name.
            if (name.endsWith(".class") && !name.startsWith("META-INF/")) {
                Path target = folder.resolve(name);
                if (!Files.exists(target)) {
                    try (InputStream bytes = jar.getInputStream(jar.getJarEntry(name))) {
                        write(target, bytes.readAllBytes());
                    }
                }
            }
        }
    }

    private static void write(Path file, byte[] bytes) throws IOException {
        Files.createDirectories(file.getParent());
        Files.write(file, bytes);
    }
}
