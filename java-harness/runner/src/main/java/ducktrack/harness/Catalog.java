package ducktrack.harness;

import java.util.List;

/** Every workload by name, with the class that drives it and its usual "set". */
record Catalog(String name, String group, String driver, int size, int iterations, int threads, Catalog.Tier tier, String about) {
    /** How often a workload runs in tests. */
    enum Tier {
        SMOKE,
        SUITE,
        NIGHTLY
    }

    /** In the order in which benchmarks print them. */
    static final List<Catalog> ALL = List.of(
            suite("sunflow", "sunflow", "Sunflow", 3, 5, 2, "path tracing of 27 spheres; size x 160 pixels wide"),
            smoke("streams", "jdk", "Streams", 5, 5, 2, "parallel streams: grouping of words, k-means, concurrent counting"),
            smoke("json", "jackson", "Json", 4, 5, 2, "Jackson: object and tree round trips of 50 documents"),
            suite("jython", "jython", "Jython", 3, 5, 1, "a Python script: classes, dicts, generators, exceptions, recursion"),
            suite("lusearch", "lucene", "Search", 10, 5, 2, "Lucene: size x 100 queries on an in-memory index of 8000 texts"),
            smoke("h2", "database", "H2", 2, 5, 2, "H2: orders, payments, joins; size x 3000 transactions a connection"),
            suite("xalan", "xalan", "DocBook", 4, 3, 2, "Xalan with the DocBook style sheets on size generated books"),
            suite("fop", "graphics", "Fop", 1, 5, 1, "FOP: size x 150 sections with tables to PDF"),
            suite("tomcat", "tomcat", "Tomcat", 1, 5, 2, "embedded Tomcat and its clients on 127.0.0.1; size x 1000 requests a client"),
            suite("javac", "jdk", "Javac", 1, 3, 1, "the compiler on the sources of commons-math"),
            smoke("serial", "jdk", "Serial", 4, 5, 2, "serialization and deserialization of object graphs"),
            suite("batik", "graphics", "Batik", 1, 5, 1, "Batik: 30 x size SVG icons to 256-pixel images"),
            nightly("luindex", "lucene", "Index", 1, 5, 1, "Lucene: indexing 10000 x size texts"),
            nightly("derby", "database", "Derby", 1, 5, 2, "Derby with the transactions of h2"),
            nightly("xml.transform", "jdk", "XmlTransform", 8, 5, 2, "the JDK's own XSLT compiler on generated books"),
            nightly("xml.validation", "jdk", "XmlValidation", 8, 5, 2, "the JDK's own schema validation of generated books"),
            nightly("ecj", "compilers", "Ecj", 1, 3, 1, "the Eclipse compiler on the sources of commons-math"),
            nightly("scalac", "compilers", "Scalac", 1, 3, 1, "the Scala compiler on generated sources"),
            nightly("groovy", "groovy", "GroovyScripts", 1, 5, 1, "Groovy: scripts compiled, loaded and run all the time"),
            nightly("pmd", "pmd", "Pmd", 1, 3, 1, "PMD's Java rules on sources of commons-math"));

    private static Catalog smoke(String name, String group, String driver, int size, int iterations, int threads, String about) {
        return new Catalog(name, group, driver, size, iterations, threads, Tier.SMOKE, about);
    }

    private static Catalog suite(String name, String group, String driver, int size, int iterations, int threads, String about) {
        return new Catalog(name, group, driver, size, iterations, threads, Tier.SUITE, about);
    }

    private static Catalog nightly(String name, String group, String driver, int size, int iterations, int threads, String about) {
        return new Catalog(name, group, driver, size, iterations, threads, Tier.NIGHTLY, about);
    }

    static Catalog find(String name) {
        for (Catalog entry : ALL) {
            if (entry.name.equals(name)) {
                return entry;
            }
        }
        throw new IllegalArgumentException("unknown workload: " + name + " (--list prints them)");
    }

    String className() {
        return "ducktrack.workloads." + group + "." + driver;
    }

    JsonLine listed() {
        return new JsonLine("list")
                .add("workload", name)
                .add("group", group)
                .add("size", size)
                .add("iterations", iterations)
                .add("threads", threads)
                .add("nightly", tier == Tier.NIGHTLY)
                .add("smoke", tier == Tier.SMOKE)
                .add("about", about);
    }
}
