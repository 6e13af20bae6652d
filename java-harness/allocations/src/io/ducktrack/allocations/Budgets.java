package io.ducktrack.allocations;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The limits in {@code ducktrack.toml}, which {@code ducktrack diff --budgets} reads as well:
 *
 * <pre>
 * [test."com.acme.ParserTest.parse"]          # a test method
 * objects = 12
 * bytes = "4KiB"
 *
 * [benchmark."com.acme.ParserBench.parse"]    # of JMH: for each operation
 * objects = 12
 *
 * [package."com.acme.hot"]                    # of a whole run, for `ducktrack diff`
 * objects = 0
 * </pre>
 *
 * <p>Only this part of TOML is read: tables with a quoted name, integers, sizes in quotes, comments.
 */
public final class Budgets {
    private static final String NAME = "ducktrack.toml";
    private static final Pattern TABLE = Pattern.compile("\\[(test|benchmark|package)\\.\"([^\"]+)\"\\]");
    private static final Pattern LIMIT = Pattern.compile("(objects|bytes)\\s*=\\s*(?:(\\d[\\d_]*)|\"([^\"]*)\")");
    private static final Pattern COMMENT = Pattern.compile("^((?:[^#\"]|\"[^\"]*\")*)#.*$");

    private static final Budgets OF_PROJECT = find();

    private final String file;
    private final Map<String, Long> limits = new LinkedHashMap<>();

    private Budgets(String file) {
        this.file = file;
    }

    /** Those of the project: of the file that the property {@code ducktrack.budgets} names, or in the working directory or one above it, up to the repository's. */
    public static Budgets ofProject() {
        return OF_PROJECT;
    }

    private static Budgets find() {
        String named = System.getProperty("ducktrack.budgets");
        if (named != null) {
            return read(Paths.get(named));
        }
        for (Path folder = Paths.get("").toAbsolutePath(); folder != null; folder = folder.getParent()) {
            if (Files.exists(folder.resolve(NAME))) {
                return read(folder.resolve(NAME));
            }
            if (Files.exists(folder.resolve(".git"))) {
                break;
            }
        }
        return new Budgets(NAME);
    }

    private static Budgets read(Path file) {
        try {
            return parse(file.toString(), Files.readAllLines(file));
        } catch (IOException unreadable) {
            throw new UncheckedIOException("cannot read the budgets in " + file, unreadable);
        }
    }

    /**
     * Reads lines of a file.
     *
     * @throws IllegalArgumentException if a line is not understood; it says which
     */
    public static Budgets parse(String file, List<String> lines) {
        Budgets budgets = new Budgets(file);
        String table = null;
        int number = 0;
        for (String line : lines) {
            number++;
            String text = COMMENT.matcher(line).replaceFirst("$1").trim();
            Matcher header = TABLE.matcher(text);
            Matcher limit = LIMIT.matcher(text);
            if (header.matches()) {
                table = header.group(1) + " " + header.group(2);
            } else if (limit.matches() && table != null) {
                String size = limit.group(2) != null ? limit.group(2).replace("_", "") : limit.group(3);
                budgets.limits.put(table + " " + limit.group(1), ByteSize.parse(size));
            } else if (!text.isEmpty()) {
                throw new IllegalArgumentException(file + ":" + number + ": expected [test.\"NAME\"], [benchmark.\"NAME\"], [package.\"NAME\"], objects = N or bytes = N, found: " + text);
            }
        }
        return budgets;
    }

    /** The file. */
    public String file() {
        return file;
    }

    /** The most objects of a test or benchmark. */
    public OptionalLong objects(String kind, String name) {
        return limit(kind + " " + name + " objects");
    }

    /** The most bytes. */
    public OptionalLong bytes(String kind, String name) {
        return limit(kind + " " + name + " bytes");
    }

    private OptionalLong limit(String key) {
        Long limit = limits.get(key);
        return limit == null ? OptionalLong.empty() : OptionalLong.of(limit);
    }
}
