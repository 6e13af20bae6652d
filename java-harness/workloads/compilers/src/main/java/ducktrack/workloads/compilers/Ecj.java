package ducktrack.workloads.compilers;

import ducktrack.harness.Checksum;
import ducktrack.harness.Run;
import ducktrack.harness.SourceFiles;
import ducktrack.harness.Workload;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.eclipse.jdt.internal.compiler.ClassFile;
import org.eclipse.jdt.internal.compiler.Compiler;
import org.eclipse.jdt.internal.compiler.DefaultErrorHandlingPolicies;
import org.eclipse.jdt.internal.compiler.batch.CompilationUnit;
import org.eclipse.jdt.internal.compiler.batch.FileSystem;
import org.eclipse.jdt.internal.compiler.classfmt.ClassFileConstants;
import org.eclipse.jdt.internal.compiler.env.ICompilationUnit;
import org.eclipse.jdt.internal.compiler.impl.CompilerOptions;
import org.eclipse.jdt.internal.compiler.problem.DefaultProblemFactory;

/** The Eclipse compiler on real sources, class files kept in memory; the checksum holds their names. */
public final class Ecj implements Workload {
    private Map<String, String> sources;

    @Override
    public void prepare(Run run) throws Exception {
        sources = SourceFiles.read(run.target(), "org/apache/commons/math3/");
    }

    @Override
    public long iterate(Run run) throws Exception {
        Checksum checksum = new Checksum();
        for (int i = 0; i < run.size(); i++) {
            compile().forEach(checksum::add);
        }
        return checksum.value();
    }

    private TreeSet<String> compile() {
        TreeSet<String> names = new TreeSet<>();
        List<String> errors = new ArrayList<>();
        FileSystem library = new FileSystem(
                new FileSystem.Classpath[] {FileSystem.getJrtClasspath(System.getProperty("java.home"), null, null, null)},
                new String[0],
                true) {};
        Compiler compiler = new Compiler(
                library,
                DefaultErrorHandlingPolicies.proceedWithAllProblems(),
                options(),
                result -> {
                    for (ClassFile file : result.getClassFiles()) {
                        names.add(new String(file.fileName()));
                    }
                    if (result.hasErrors()) {
                        errors.add(result.toString());
                    }
                },
                new DefaultProblemFactory());
        compiler.compile(units());
        library.cleanup();
        if (!errors.isEmpty()) {
            throw new IllegalStateException(errors.size() + " files with errors: " + errors.get(0));
        }
        return names;
    }

    private ICompilationUnit[] units() {
        return sources.entrySet().stream()
                .map(file -> new CompilationUnit(file.getValue().toCharArray(), file.getKey(), "UTF-8"))
                .toArray(ICompilationUnit[]::new);
    }

    private static CompilerOptions options() {
        CompilerOptions options = new CompilerOptions();
        options.sourceLevel = ClassFileConstants.JDK11;
        options.complianceLevel = ClassFileConstants.JDK11;
        options.targetJDK = ClassFileConstants.JDK11;
        return options;
    }
}
