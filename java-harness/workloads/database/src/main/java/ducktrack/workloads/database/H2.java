package ducktrack.workloads.database;

/** The order entry on H2, in memory. */
public final class H2 extends OrderEntry {
    /** Named database, so that all connections see the same one. */
    public H2() {
        super("jdbc:h2:mem:orders;DB_CLOSE_DELAY=-1;LOCK_TIMEOUT=60000");
    }
}
