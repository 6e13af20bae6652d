import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Reads the headers and site marks of the programs with known counts and writes what the programs and the tests read.
 *
 * <pre>
 * // PROGRAM tags=hot,threads options=-Xmx64m
 * // EXPECT
 * //   site   method        kind   type     count  [bytes=24] [via=java.lang.Integer.valueOf] [atleast]
 * //   point  main          new    Point    N      bytes=24
 * // END
 * ...
 *     Point p = new Point(i);   // SITE point
 * </pre>
 *
 * A method is {@code main}, {@code Nested.main}, a full name, or {@code -} for the total of the type over all sites. A type is a class nested
 * in the program, a full name, a primitive, any of them with {@code []}, or {@code $$Lambda}. A count is a number, a multiple or a
 * fraction of N, or {@code *} when only the run tells. {@code bytes} is that of one object.
 */
final class Expectations {
    private static final String PACKAGE = "ducktrack.known.";
    private static final long N = 100_000;
    private static final Map<String, String> PRIMITIVES = Map.of(
            "boolean", "Z", "byte", "B", "char", "C", "short", "S", "int", "I", "long", "J", "float", "F", "double", "D");

    private final String program;
    private final List<String> lines;
    private final Map<String, Integer> marks = new HashMap<>();

    private Expectations(Path source) throws IOException {
        program = source.getFileName().toString().replace(".java", "");
        lines = Files.readAllLines(source);
        for (int i = 0; i < lines.size(); i++) {
            int mark = lines.get(i).indexOf("// SITE ");
            if (mark >= 0) {
                for (String site : lines.get(i).substring(mark + 8).trim().split(" +")) {
                    if (marks.put(site, i + 1) != null) {
                        throw new IllegalStateException(program + ": site " + site + " is marked twice");
                    }
                }
            }
        }
    }

    /** Arguments: level, class path to name in the table, folder of sources, folder of classes, folder of the two tables (appended to). */
    public static void main(String[] words) throws IOException {
        String level = words[0];
        Path classes = Path.of(words[3]);
        Path tables = Path.of(words[4]);
        StringBuilder programs = new StringBuilder();
        StringBuilder all = new StringBuilder();
        for (Path source : sources(Path.of(words[2]))) {
            Expectations expectations = new Expectations(source);
            String tags = expectations.programTags();
            if (tags == null) {
                continue;
            }
            List<Row> rows = expectations.rows();
            Files.write(classes.resolve("ducktrack/known/" + expectations.program + ".expect"),
                    rows.stream().map(Row::tabbed).collect(Collectors.toList()));
            rows.forEach(row -> all.append(row.json(PACKAGE + expectations.program)).append('\n'));
            programs.append(PACKAGE + expectations.program + "\t" + level + "\t" + words[1] + "\t" + tags + "\n");
        }
        append(tables.resolve("programs.tsv"), programs);
        append(tables.resolve("expectations.jsonl"), all);
    }

    private static List<Path> sources(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(file -> file.toString().endsWith(".java")).sorted().collect(Collectors.toList());
        }
    }

    private static void append(Path file, CharSequence text) throws IOException {
        Files.writeString(file, (Files.exists(file) ? Files.readString(file) : "") + text);
    }

    /** JVM options, a tab, tags, each {@code -} for none; null when the file is no program. */
    private String programTags() {
        for (String line : lines) {
            if (line.startsWith("// PROGRAM")) {
                String options = "-";
                String tags = "-";
                for (String word : line.substring(10).trim().split(" +")) {
                    if (word.startsWith("tags=")) {
                        tags = word.substring(5);
                    } else if (word.startsWith("options=")) {
                        options = word.substring(8).replace(';', ' ');
                    } else if (!word.isEmpty()) {
                        throw new IllegalStateException(program + ": " + word);
                    }
                }
                return options + "\t" + tags;
            }
        }
        return null;
    }

    private List<Row> rows() {
        List<Row> rows = new ArrayList<>();
        int begin = lines.indexOf("// EXPECT");
        int end = lines.indexOf("// END");
        if (begin < 0 || end < begin) {
            throw new IllegalStateException(program + ": no EXPECT ... END block");
        }
        for (String line : lines.subList(begin + 1, end)) {
            rows.add(row(line.substring(2).trim().split(" +")));
        }
        for (String site : marks.keySet()) {
            if (rows.stream().noneMatch(row -> row.site.equals(site))) {
                throw new IllegalStateException(program + ": site " + site + " is not in the header");
            }
        }
        return rows;
    }

    private Row row(String[] words) {
        if (words.length < 5) {
            throw new IllegalStateException(program + ": too short: " + String.join(" ", words));
        }
        Row row = new Row();
        row.site = words[0];
        row.line = marks.get(row.site);
        int dot = words[1].lastIndexOf('.');
        if (words[1].equals("-")) {
            row.owner = null;
            row.method = null;
        } else if (dot < 0) {
            row.owner = PACKAGE + program;
            row.method = words[1];
        } else {
            String owner = words[1].substring(0, dot);
            row.owner = owner.contains(".") ? owner : PACKAGE + program + "$" + owner;
            row.method = words[1].substring(dot + 1);
        }
        boolean ours = row.owner != null && row.owner.startsWith(PACKAGE);
        boolean nativeOrGenerated = words[2].equals("jni") || row.method != null && row.method.equals("values");
        if (row.line == null && ours && !nativeOrGenerated) {
            throw new IllegalStateException(program + ": no line is marked with site " + row.site);
        }
        row.kind = words[2];
        row.type = descriptor(words[3], row.owner);
        row.count = count(words[4]);
        for (int i = 5; i < words.length; i++) {
            if (words[i].startsWith("bytes=")) {
                row.bytesEach = Long.parseLong(words[i].substring(6));
            } else if (words[i].startsWith("via=")) {
                row.via = words[i].substring(4);
            } else if (words[i].equals("atleast")) {
                row.exact = false;
            } else {
                throw new IllegalStateException(program + ": " + words[i]);
            }
        }
        return row;
    }

    private String descriptor(String type, String owner) {
        if (type.endsWith("[]")) {
            return "[" + descriptor(type.substring(0, type.length() - 2), owner);
        }
        if (PRIMITIVES.containsKey(type)) {
            return PRIMITIVES.get(type);
        }
        // The class of a lambda is named after the class that the lambda is in.
        String nested = type.startsWith("$$") ? owner + type : PACKAGE + program + "$" + type;
        String name = type.contains(".") ? type : nested;
        return "L" + name.replace('.', '/') + ";";
    }

    /** -1 for what only the run tells. */
    private long count(String text) {
        if (text.equals("*")) {
            return -1;
        }
        String plain = text.replace("_", "");
        if (plain.contains("N")) {
            String[] parts = plain.split("N", 2);
            long factor = parts[0].isEmpty() ? 1 : Long.parseLong(parts[0]);
            long divisor = parts[1].isEmpty() ? 1 : Long.parseLong(parts[1].substring(1));
            if (factor * N % divisor != 0) {
                throw new IllegalStateException(program + ": no whole number: " + text);
            }
            return factor * N / divisor;
        }
        return Long.parseLong(plain);
    }

    /** One expected site. */
    private static final class Row {
        String site;
        String owner;
        String method;
        Integer line;
        String kind;
        String type;
        long count;
        Long bytesEach;
        String via;
        boolean exact = true;

        String tabbed() {
            return Stream.of(site, owner, method, kind, type, count < 0 ? "*" : count, bytesEach, line, via, exact)
                    .map(value -> value == null ? "-" : value.toString())
                    .collect(Collectors.joining("\t"));
        }

        String json(String program) {
            Long bytes = bytesEach == null || count < 0 ? null : Long.valueOf(bytesEach * count);
            return "{\"program\":" + text(program) + ",\"site\":" + text(site) + ",\"class\":" + text(owner) + ",\"method\":"
                    + text(method) + ",\"line\":" + line + ",\"kind\":" + text(kind) + ",\"type\":" + text(type) + ",\"count\":"
                    + (count < 0 ? "null" : count) + ",\"bytes\":" + bytes + ",\"via\":" + text(via) + ",\"exact\":" + exact + "}";
        }

        private static String text(String value) {
            return value == null ? "null" : '"' + value + '"';
        }
    }
}
