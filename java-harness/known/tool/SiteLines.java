import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.spi.ToolProvider;

/**
 * Checks the table of expectations against the class files, as javap shows them: the line of each site must hold, in the method
 * named, an instruction that allocates in the way named. Compilers put some instructions on the first line of a statement.
 */
final class SiteLines {
    private static final Pattern FIELD = Pattern.compile("\"(\\w+)\":(\"([^\"]*)\"|[^,}]*)");
    private static final Pattern METHOD = Pattern.compile("^  (?! ).*?([\\w$]+)\\(.*\\).*;$");
    private static final Pattern INSTRUCTION = Pattern.compile("^ +(\\d+): ([a-z]\\w*.*)$");
    private static final Pattern LINE = Pattern.compile("^ +line (\\d+): (\\d+)$");
    private static final ToolProvider JAVAP = ToolProvider.findFirst("javap").orElseThrow();

    /** Method name to line to the instructions on it. */
    private final Map<String, Map<Integer, List<String>>> methods = new HashMap<>();

    /** Arguments: the table, then folders of classes. */
    public static void main(String[] words) throws IOException {
        Map<String, SiteLines> classes = new HashMap<>();
        int wrong = 0;
        for (String text : Files.readAllLines(Path.of(words[0]))) {
            Map<String, String> row = fields(text);
            String owner = row.get("class");
            if (owner == null || row.get("line") == null || isConstantText(row)) {
                continue;
            }
            SiteLines lines = classes.get(owner);
            if (lines == null) {
                lines = new SiteLines();
                lines.read(file(owner, words));
                classes.put(owner, lines);
            }
            if (!lines.hold(row)) {
                System.err.println("SiteLines: no such allocation: " + text);
                wrong++;
            }
        }
        System.exit(wrong == 0 ? 0 : 1);
    }

    /** A concatenation that the compiler does itself leaves no instruction. */
    private static boolean isConstantText(Map<String, String> row) {
        return row.get("kind").equals("string-concat") && row.get("count").equals("0");
    }

    private static Path file(String owner, String[] words) {
        for (int i = 1; i < words.length; i++) {
            Path file = Path.of(words[i], owner.replace('.', '/') + ".class");
            if (Files.exists(file)) {
                return file;
            }
        }
        throw new IllegalStateException("no class " + owner);
    }

    private static Map<String, String> fields(String text) {
        Map<String, String> row = new HashMap<>();
        Matcher field = FIELD.matcher(text);
        while (field.find()) {
            String value = field.group(3) != null ? field.group(3) : field.group(2);
            row.put(field.group(1), value.equals("null") ? null : value);
        }
        return row;
    }

    private void read(Path file) {
        StringWriter text = new StringWriter();
        JAVAP.run(new PrintWriter(text), new PrintWriter(System.err), "-c", "-l", "-p", file.toString());
        String simple = file.getFileName().toString().replace(".class", "");
        Map<Integer, List<String>> lines = null;
        TreeMap<Integer, String> code = null;
        TreeMap<Integer, Integer> starts = null;
        for (String line : text.toString().split("\n")) {
            Matcher method = METHOD.matcher(line);
            Matcher instruction = INSTRUCTION.matcher(line);
            Matcher start = LINE.matcher(line);
            if (line.equals("  static {};") || method.matches()) {
                String name = line.equals("  static {};") ? "<clinit>" : method.group(1);
                lines = methods.computeIfAbsent(name.equals(simple) ? "<init>" : name, any -> new HashMap<>());
                code = new TreeMap<>();
                starts = new TreeMap<>();
            } else if (start.matches()) {
                starts.put(Integer.valueOf(start.group(2)), Integer.valueOf(start.group(1)));
                put(lines, code, starts);
            } else if (instruction.matches()) {
                code.put(Integer.valueOf(instruction.group(1)), instruction.group(2));
            }
        }
    }

    private static void put(Map<Integer, List<String>> lines, TreeMap<Integer, String> code, TreeMap<Integer, Integer> starts) {
        // Called for each line of the table: what earlier calls put on a line that turns out to be split stays until the last one.
        starts.values().forEach(lines::remove);
        code.forEach((at, instruction) -> {
            Map.Entry<Integer, Integer> start = starts.floorEntry(at);
            if (start != null) {
                lines.computeIfAbsent(start.getValue(), any -> new ArrayList<>()).add(instruction);
            }
        });
    }

    private boolean hold(Map<String, String> row) {
        String wanted = row.get("method");
        for (Map.Entry<String, Map<Integer, List<String>>> method : methods.entrySet()) {
            boolean named = wanted.endsWith("*")
                    ? method.getKey().startsWith(wanted.substring(0, wanted.length() - 1))
                    : method.getKey().equals(wanted);
            List<String> instructions = method.getValue().get(Integer.valueOf(row.get("line")));
            if (named && instructions != null && instructions.stream().anyMatch(instruction -> allocates(instruction, row))) {
                return true;
            }
        }
        return false;
    }

    private static boolean allocates(String instruction, Map<String, String> row) {
        if (row.get("via") != null) {
            int dot = row.get("via").lastIndexOf('.');
            String callee = row.get("via").substring(0, dot).replace('.', '/') + row.get("via").substring(dot);
            return instruction.contains("Method " + callee + ":");
        }
        String type = row.get("type");
        String name = type.startsWith("L") ? type.substring(1, type.length() - 1) : type;
        for (String kind : row.get("kind").split("\\|")) {
            if (allocates(instruction, kind, name)) {
                return true;
            }
        }
        return false;
    }

    private static boolean allocates(String instruction, String kind, String name) {
        switch (kind) {
            case "new":
                return instruction.startsWith("new ") && instruction.endsWith("// class " + name);
            case "newarray":
            case "varargs":
                return name.length() == 2
                        ? instruction.startsWith("newarray")
                        : instruction.startsWith("anewarray") && instruction.endsWith(element(name));
            case "multianewarray":
                return instruction.startsWith("multianewarray");
            case "clone":
                return instruction.contains("java/lang/Object.clone") || instruction.contains("\".clone:");
            case "array-reflection":
                return instruction.contains("java/lang/reflect/Array.newInstance");
            case "method-handle":
                return instruction.contains("java/lang/invoke/MethodHandle.invoke");
            case "unsafe-allocate":
                return instruction.contains("sun/misc/Unsafe.allocateInstance");
            case "string-concat":
                return instruction.contains("makeConcatWithConstants");
            case "lambda":
            case "method-reference":
            case "other":
                return instruction.startsWith("invokedynamic");
            default:
                throw new IllegalStateException("unknown kind " + kind);
        }
    }

    private static String element(String array) {
        String element = array.substring(1);
        return element.startsWith("L") ? element.substring(1, element.length() - 1) : "\"" + element + "\"";
    }
}
