package io.ducktrack.allocations;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.List;
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
 * [package."com.acme.hot"]                    # what a package makes, and libraries for its calls
 * objects = 0
 *
 * [site."com.acme.Parser.next"]               # the same for methods of a name
 * objects = 2
 *
 * [context."GET /orders"]                     # of ducktrack diff: for each execution
 * bytes = "8KiB"
 * </pre>
 *
 * <p>Limits of packages and sites hold for each test that is counted, for each operation of a benchmark, and for the whole second run of
 * {@code ducktrack diff}.
 *
 * <p>Only this part of TOML is read: tables with a quoted name, integers, sizes in quotes, comments.
 */
public final class Budgets {
    private static final String NAME = "ducktrack.toml";
    private static final Pattern TABLE = Pattern.compile("\\[(test|benchmark|package|site|context)\\.\"([^\"]+)\"\\]");
    private static final Pattern LIMIT = Pattern.compile("(objects|bytes)\\s*=\\s*(?:(\\d[\\d_]*)|\"([^\"]*)\")");
    private static final Pattern COMMENT = Pattern.compile("^((?:[^#\"]|\"[^\"]*\")*)#.*$");

    private static final Budgets OF_PROJECT = find();

    private final String file;
    private final List<Budget> budgets = new ArrayList<>();

    private Budgets(String file) {
        this.file = file;
    }

    /**
     * Those of the project: of the file that the property {@code ducktrack.budgets} names, or in the working directory or one above it, up
     * to the repository's.
     */
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
        Matcher table = null;
        int number = 0;
        for (String line : lines) {
            number++;
            String text = COMMENT.matcher(line).replaceFirst("$1").trim();
            Matcher header = TABLE.matcher(text);
            Matcher limit = LIMIT.matcher(text);
            if (header.matches()) {
                table = header;
            } else if (limit.matches() && table != null) {
                String size = limit.group(2) != null ? limit.group(2).replace("_", "") : limit.group(3);
                budgets.budgets.add(new Budget(table.group(1), table.group(2), limit.group(1), ByteSize.parse(size)));
            } else if (!text.isEmpty()) {
                throw new IllegalArgumentException(file + ":" + number + ": expected [test.\"NAME\"], [benchmark.\"NAME\"], [package.\"NAME\"], [site.\"NAME\"], [context.\"NAME\"], objects = N or bytes = N, found: " + text);
            }
        }
        return budgets;
    }

    /** The file. */
    public String file() {
        return file;
    }

    /** Those of a test or benchmark. */
    public List<Budget> of(String kind, String name) {
        List<Budget> found = new ArrayList<>(budgets);
        found.removeIf(budget -> !budget.kind().equals(kind) || !budget.name().equals(name));
        return found;
    }

    /** Those of packages and sites, which hold for each piece of work. */
    public List<Budget> ofScopes() {
        List<Budget> found = new ArrayList<>(budgets);
        found.removeIf(budget -> !budget.isOfScope());
        return found;
    }
}
