package io.ducktrack.allocations;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Accepted figures in a file for people and for git: sorted, one line for each site, without line numbers, and an empty line between two so
 * that changes of neighbours merge.
 *
 * <pre>
 * # java 17, layout 12/4/16/8
 *
 * render: byte[] at java.lang.StringBuilder.toString, called by com.acme.Page.render = 1 objects, 32 bytes
 * </pre>
 */
public final class Baseline {
    private static final Pattern LINE = Pattern.compile("(.+) = (\\d+) objects, (\\d+) bytes");
    private static final String HEAD = "# Accepted allocations, one line for each site. Run the tests with -Dducktrack.update to accept new ones.";

    private static final String CALLER = ", called by ";

    /** Objects and bytes. */
    public static final class Figures {
        /** Objects. */
        public final long objects;
        /** Bytes. */
        public final long bytes;

        Figures(long objects, long bytes) {
            this.objects = objects;
            this.bytes = bytes;
        }

        /** The sum of both. */
        public Figures plus(Figures other) {
            return new Figures(objects + other.objects, bytes + other.bytes);
        }
    }

    private final Path file;
    private final SortedMap<String, Figures> lines = new TreeMap<>();
    private String made = "";

    private Baseline(Path file) {
        this.file = file;
    }

    /**
     * Reads a file; one that is not there is empty.
     *
     * @throws IllegalArgumentException if a line is not understood; it says which
     */
    public static Baseline read(Path file) {
        Baseline baseline = new Baseline(file);
        if (Files.exists(file)) {
            try {
                int number = 0;
                for (String line : Files.readAllLines(file)) {
                    baseline.take(line.trim(), ++number);
                }
            } catch (IOException unreadable) {
                throw new UncheckedIOException("cannot read the baseline " + file, unreadable);
            }
        }
        return baseline;
    }

    private void take(String line, int number) {
        Matcher matcher = LINE.matcher(line);
        if (line.startsWith("# java ")) {
            made = line.substring(2);
        } else if (matcher.matches() && !line.startsWith("#")) {
            lines.put(matcher.group(1), new Figures(Long.parseLong(matcher.group(2)), Long.parseLong(matcher.group(3))));
        } else if (!line.isEmpty() && !line.startsWith("#")) {
            throw new IllegalArgumentException(file + ":" + number + ": expected `SITE = N objects, N bytes`, found: " + line);
        }
    }

    /** The accepted lines that begin with a prefix, without it. */
    public SortedMap<String, Figures> of(String prefix) {
        SortedMap<String, Figures> found = new TreeMap<>();
        lines.forEach((line, figures) -> {
            if (line.startsWith(prefix)) {
                found.put(line.substring(prefix.length()), figures);
            }
        });
        return found;
    }

    /** Replaces the lines that begin with a prefix, and writes the file. */
    public void accept(String prefix, Map<String, Figures> figures, Allocations found) {
        lines.keySet().removeIf(line -> line.startsWith(prefix));
        figures.forEach((line, one) -> lines.put(prefix + line, one));
        List<String> text = new ArrayList<>(List.of(HEAD, "# " + madeBy(found)));
        lines.forEach((line, one) -> {
            text.add("");
            text.add(line + " = " + one.objects + " objects, " + one.bytes + " bytes");
        });
        try {
            Files.createDirectories(file.toAbsolutePath().getParent());
            Path temporary = file.resolveSibling(file.getFileName() + ".new");
            Files.write(temporary, text);
            Files.move(temporary, file, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException failed) {
            throw new UncheckedIOException("cannot write the baseline " + file, failed);
        }
    }

    /** The properties of this JVM on which the figures depend. */
    private static String madeBy(Allocations found) {
        return "java " + Runtime.version().feature() + ", layout " + found.layout();
    }

    /** Whether bytes are comparable with those of the file. */
    public boolean hasLayoutOf(Allocations found) {
        return made.endsWith("layout " + found.layout());
    }

    /** Null, or that the file was made on another Java, whose own code may allocate other objects. */
    public String otherJava() {
        String java = made.split(",")[0];
        return java.isEmpty() || java.equals("java " + Runtime.version().feature()) ? null : "the baseline was made on " + java + ", this is java " + Runtime.version().feature();
    }

    /** The lines of what was found: by site, or by package. */
    public static SortedMap<String, Figures> lines(Allocations found, boolean byPackage) {
        SortedMap<String, Figures> lines = new TreeMap<>();
        for (AllocationSite site : found.sites()) {
            lines.merge(byPackage ? packageOf(site) : line(site), new Figures(site.objects, site.bytes), Figures::plus);
        }
        return lines;
    }

    /** The line of a site. */
    public static String line(AllocationSite site) {
        String caller = site.caller() == null ? "" : CALLER + site.caller().withoutLine();
        return site.type() + " at " + site.place().withoutLine() + caller;
    }

    /** The line of a site without its caller. */
    public static String placeOf(String line) {
        int caller = line.indexOf(CALLER);
        return caller < 0 ? line : line.substring(0, caller);
    }

    /** The package that is to blame for a site's objects. */
    public static String packageOf(AllocationSite site) {
        String name = (site.caller() == null ? site.place() : site.caller()).className();
        return "package " + (name.contains(".") ? name.substring(0, name.lastIndexOf('.')) : "(unnamed)");
    }
}
