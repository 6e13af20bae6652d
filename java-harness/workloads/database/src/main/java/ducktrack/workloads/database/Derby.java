package ducktrack.workloads.database;

import ducktrack.harness.Run;

/** The order entry on Derby, in memory. */
public final class Derby extends OrderEntry {
    /** Created when the first connection asks for it. */
    public Derby() {
        super("jdbc:derby:memory:orders;create=true");
    }

    @Override
    public void prepare(Run run) throws Exception {
        System.setProperty("derby.stream.error.field", "java.lang.System.err");
        super.prepare(run);
    }
}
