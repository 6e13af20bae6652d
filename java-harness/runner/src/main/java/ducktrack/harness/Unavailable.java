package ducktrack.harness;

/** A workload cannot run here: a package, or a part of the JDK, is missing. */
public final class Unavailable extends Exception {
    private static final long serialVersionUID = 1;

    /** @param reason what is missing, in one line */
    public Unavailable(String reason) {
        super(reason);
    }
}
