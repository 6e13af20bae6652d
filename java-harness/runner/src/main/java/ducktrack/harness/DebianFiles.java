package ducktrack.harness;

import java.nio.file.Files;
import java.nio.file.Path;

/** Files of Debian's packages: as installed, or as {@code scripts/harness-build} unpacked them. */
public final class DebianFiles {
    private DebianFiles() {}

    /**
     * The place of a file or folder.
     *
     * @param path without a leading slash
     * @throws Unavailable when it is in neither place
     */
    public static Path find(Path target, String debianPackage, String path) throws Unavailable {
        for (Path root : new Path[] {Path.of("/"), target.resolve("debian")}) {
            Path found = root.resolve(path);
            if (Files.exists(found)) {
                return found;
            }
        }
        throw new Unavailable("no " + path + " of the Debian package " + debianPackage + ": install it, or run scripts/harness-build");
    }
}
