package io.ducktrack.allocations;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.Locale;

/**
 * The agent's library, which is inside of this jar. {@code java -jar ducktrack-agent.jar [FOLDER]} unpacks it into a folder
 * (target/ducktrack) and prints the JVM's option.
 */
public final class NativeLibrary {
    private NativeLibrary() {}

    /**
     * Unpacks the library for this machine into a folder, unless it is there.
     *
     * @throws IOException if this jar has none for this machine, or it cannot be written
     */
    public static Path unpack(Path folder) throws IOException {
        String name = "linux-" + architecture() + "/libducktrack.so";
        try (InputStream inside = NativeLibrary.class.getResourceAsStream("/META-INF/ducktrack/" + name)) {
            if (inside == null || !System.getProperty("os.name").equals("Linux")) {
                throw new IOException("ducktrack has no library for " + System.getProperty("os.name") + " on " + System.getProperty("os.arch"));
            }
            byte[] bytes = inside.readAllBytes();
            Path file = folder.resolve(name).toAbsolutePath();
            if (Files.exists(file) && Arrays.equals(Files.readAllBytes(file), bytes)) {
                return file;
            }
            Files.createDirectories(file.getParent());
            // A JVM may have the old file open: it keeps that one.
            Path temporary = Files.createTempFile(file.getParent(), "libducktrack", ".new");
            Files.write(temporary, bytes);
            Files.move(temporary, file, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
            return file;
        }
    }

    private static String architecture() {
        String name = System.getProperty("os.arch").toLowerCase(Locale.ROOT);
        return name.equals("amd64") ? "x86_64" : name;
    }

    /**
     * The option by which a JVM loads the library: its traces go to a folder beside it.
     *
     * @throws IOException if the library cannot be unpacked
     */
    public static String option(Path folder) throws IOException {
        Path library = unpack(folder);
        return "-agentpath:" + library + "=summary=off,stacks=off,output=" + folder.toAbsolutePath().resolve("trace-%p");
    }

    /** Prints the option. */
    public static void main(String[] arguments) throws IOException {
        System.out.println(option(Paths.get(arguments.length > 0 ? arguments[0] : "target/ducktrack")));
    }
}
