package ducktrack.harness;

import java.io.OutputStream;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;

/** Runs one workload and prints a JSON line per iteration. */
public final class Main {
    private static final int FAILED = 1;
    private static final int WRONG_ARGUMENTS = 2;
    private static final int SKIPPED = 77;

    private Main() {}

    /** See {@link Arguments}. */
    public static void main(String[] words) {
        if (words.length == 1 && words[0].equals("--list")) {
            Catalog.ALL.forEach(entry -> System.out.println(entry.listed()));
            return;
        }
        Arguments arguments;
        try {
            arguments = Arguments.parse(words);
        } catch (IllegalArgumentException wrong) {
            System.err.println(wrong.getMessage() + "\n" + Arguments.USAGE);
            System.exit(WRONG_ARGUMENTS);
            return;
        }
        PrintStream lines = takeStandardOutput();
        System.exit(status(arguments, lines));
    }

    /** The lines go to the real standard output; what the programs under test print goes nowhere. */
    private static PrintStream takeStandardOutput() {
        PrintStream lines = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        System.setOut(new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8));
        return lines;
    }

    private static int status(Arguments arguments, PrintStream lines) {
        String name = arguments.workload().name();
        try (Workload workload = Libraries.load(arguments.workload())) {
            return new Iterations(arguments, workload, lines).run() ? 0 : FAILED;
        } catch (Unavailable missing) {
            lines.println(new JsonLine("skip").add("workload", name).add("reason", missing.getMessage()));
            return SKIPPED;
        } catch (Exception | LinkageError failure) {
            failure.printStackTrace();
            lines.println(new JsonLine("end").add("workload", name).add("ok", false).add("error", failure.toString()));
            return FAILED;
        }
    }

    static long millisSinceJvmStart() {
        return System.currentTimeMillis() - ManagementFactory.getRuntimeMXBean().getStartTime();
    }
}
