import io.ducktrack.jmh.AllocationProfiler;

/** {@code -prof ducktrack}: JMH finds profilers by the names of their classes. */
public final class ducktrack extends AllocationProfiler {
    /** Called by JMH. */
    public ducktrack() {}
}
