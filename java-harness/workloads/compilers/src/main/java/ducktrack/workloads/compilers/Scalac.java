package ducktrack.workloads.compilers;

import ducktrack.harness.Checksum;
import ducktrack.harness.Run;
import ducktrack.harness.Workload;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import scala.Option;
import scala.jdk.javaapi.CollectionConverters;
import scala.reflect.internal.util.BatchSourceFile;
import scala.reflect.internal.util.SourceFile;
import scala.reflect.io.AbstractFile;
import scala.reflect.io.VirtualDirectory;
import scala.reflect.io.VirtualFile;
import scala.tools.nsc.Global;
import scala.tools.nsc.Settings;
import scala.tools.nsc.reporters.StoreReporter;

/** The Scala compiler on generated sources, class files kept in memory; the checksum holds their names. */
public final class Scalac implements Workload {
    private static final int FILES = 20;

    private String libraryPath;

    @Override
    public void prepare(Run run) {
        Path library = run.target().resolve("lib/compilers");
        libraryPath = library.resolve("scala-library-2.13.18.jar").toString();
    }

    @Override
    public long iterate(Run run) {
        VirtualDirectory output = new VirtualDirectory("output", Option.empty());
        Settings settings = new Settings();
        settings.usejavacp().tryToSetColon(list("false"));
        settings.classpath().tryToSet(list(libraryPath));
        settings.outputDirs().setSingleOutput(output);
        StoreReporter reporter = new StoreReporter(settings);
        Global compiler = new Global(settings, reporter);
        List<SourceFile> sources = new ArrayList<>();
        for (int i = 0; i < FILES * run.size(); i++) {
            AbstractFile file = new VirtualFile("Generated" + i + ".scala");
            sources.add(new BatchSourceFile(file, ScalaSource.generate(i).toCharArray()));
        }
        compiler.new Run().compileSources(CollectionConverters.asScala(sources).toList());
        if (reporter.hasErrors()) {
            throw new IllegalStateException(reporter.infos().toString());
        }
        Checksum checksum = new Checksum();
        TreeSet<String> names = new TreeSet<>();
        collect(output, names);
        names.forEach(checksum::add);
        compiler.close();
        return checksum.value();
    }

    private static scala.collection.immutable.List<String> list(String word) {
        return CollectionConverters.asScala(List.of(word)).toList();
    }

    private static void collect(AbstractFile folder, TreeSet<String> names) {
        for (AbstractFile file : CollectionConverters.asJava(folder)) {
            if (file.isDirectory()) {
                collect(file, names);
            } else {
                names.add(file.path());
            }
        }
    }
}
