package ducktrack.workloads.jdk;

import ducktrack.harness.Checksum;
import ducktrack.harness.Run;
import ducktrack.harness.SourceFiles;
import ducktrack.harness.Unavailable;
import ducktrack.harness.Workload;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/**
 * The compiler of the JDK on real sources, class files kept in memory. The checksum holds the names of the named classes: the bytes, and
 * which synthetic classes there are, differ from one JDK's compiler to another's.
 */
public final class Javac implements Workload {
    private static final List<String> OPTIONS = List.of("--release", "11", "-nowarn", "-proc:none", "-g");
    private static final Pattern NUMBERED = Pattern.compile("\\$\\d+$");

    private final List<JavaFileObject> sources = new ArrayList<>();
    private JavaCompiler compiler;

    @Override
    public void prepare(Run run) throws Exception {
        compiler = ToolProvider.getSystemJavaCompiler();
        if (compiler == null) {
            throw new Unavailable("this JDK has no jdk.compiler module");
        }
        for (Map.Entry<String, String> file : SourceFiles.read(run.target(), "org/apache/commons/math3/").entrySet()) {
            sources.add(new Source(file.getKey(), file.getValue()));
        }
    }

    @Override
    public long iterate(Run run) throws Exception {
        Checksum checksum = new Checksum();
        for (int i = 0; i < run.size(); i++) {
            for (Map.Entry<String, Integer> file : compile().entrySet()) {
                if (!NUMBERED.matcher(file.getKey()).find()) {
                    checksum.add(file.getKey()).add(file.getValue() > 0 ? 1 : 0);
                }
            }
        }
        return checksum.value();
    }

    private Map<String, Integer> compile() throws Exception {
        DiagnosticCollector<JavaFileObject> diagnostics = new DiagnosticCollector<>();
        try (ClassesInMemory classes = new ClassesInMemory(compiler.getStandardFileManager(diagnostics, null, null))) {
            if (!compiler.getTask(null, classes, diagnostics, OPTIONS, null, sources).call()) {
                throw new IllegalStateException(diagnostics.getDiagnostics().toString());
            }
            return new TreeMap<>(classes.lengths());
        }
    }

    private static final class Source extends SimpleJavaFileObject {
        private final String text;

        Source(String path, String text) {
            super(URI.create("string:///" + path), Kind.SOURCE);
            this.text = text;
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return text;
        }
    }
}
