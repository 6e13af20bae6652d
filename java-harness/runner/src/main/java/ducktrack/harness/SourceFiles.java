package ducktrack.harness;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/** The Java sources of commons-math, what the compiler workloads compile: path in the jar to text, sorted. */
public final class SourceFiles {
    private SourceFiles() {}

    /**
     * Reads those files whose path begins with {@code prefix}.
     *
     * @throws Unavailable when the build did not put the jar there
     */
    public static Map<String, String> read(Path target, String prefix) throws IOException, Unavailable {
        Path jar = target.resolve("inputs/commons-math3-3.6.1-sources.jar");
        if (!Files.exists(jar)) {
            throw new Unavailable("no " + jar + ": run scripts/harness-build");
        }
        Map<String, String> sources = new TreeMap<>();
        try (ZipFile zip = new ZipFile(jar.toFile())) {
            for (ZipEntry entry : zip.stream().toArray(ZipEntry[]::new)) {
                String name = entry.getName();
                if (name.startsWith(prefix) && name.endsWith(".java") && !name.endsWith("package-info.java")) {
                    sources.put(name, new String(zip.getInputStream(entry).readAllBytes(), StandardCharsets.UTF_8));
                }
            }
        }
        return sources;
    }
}
