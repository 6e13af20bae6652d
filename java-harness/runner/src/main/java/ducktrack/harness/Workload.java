package ducktrack.harness;

/** A real program in a form that can be repeated: inputs made once, then any number of equal iterations. */
public interface Workload extends AutoCloseable {
    /** Makes or reads the inputs; not measured. */
    void prepare(Run run) throws Exception;

    /**
     * Does the work once.
     *
     * @return a checksum that depends on the workload and its size only
     */
    long iterate(Run run) throws Exception;

    /** Ends what {@link #prepare} started. */
    @Override
    default void close() throws Exception {}
}
