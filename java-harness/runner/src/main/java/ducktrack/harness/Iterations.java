package ducktrack.harness;

import java.io.PrintStream;

/** The measured loop. */
final class Iterations {
    private final Arguments arguments;
    private final Workload workload;
    private final PrintStream lines;
    private final ThreadMeter threadMeter = new ThreadMeter();
    private final VmMeter vmMeter = new VmMeter();
    /** Iterations so far. */
    private int iterations;
    /** The checksum of the first. */
    private long first;
    private boolean equal = true;

    Iterations(Arguments arguments, Workload workload, PrintStream lines) {
        this.arguments = arguments;
        this.workload = workload;
        this.lines = lines;
    }

    /** @return whether all checksums were equal */
    boolean run() throws Exception {
        long sinceJvmStart = Main.millisSinceJvmStart();
        Run run = new Run(arguments.size(), arguments.threads(), Libraries.target(), threadMeter);
        long begin = System.nanoTime();
        workload.prepare(run);
        printStart(System.nanoTime() - begin, sinceJvmStart);

        begin = System.nanoTime();
        while (iterations < arguments.warmUp() || secondsSince(begin) < arguments.warmUpSeconds()) {
            iterate(run);
        }
        if (iterations > 0) {
            lines.println(line("warm").add("iterations", iterations).addMillis("wall_ms", System.nanoTime() - begin));
        }
        for (int i = 0; i < arguments.iterations(); i++) {
            iterate(run);
        }
        lines.println(line("end")
                .add("ok", equal)
                .add("checksum", Long.toHexString(first))
                .add("iterations", iterations)
                .addMillis("wall_ms", System.nanoTime() - begin));
        return equal;
    }

    private static double secondsSince(long begin) {
        return (System.nanoTime() - begin) / 1e9;
    }

    private void iterate(Run run) throws Exception {
        long checksum = measured(run, iterations);
        first = iterations == 0 ? checksum : first;
        equal &= checksum == first;
        iterations++;
    }

    private long measured(Run run, int iteration) throws Exception {
        VmMeter.Reading vmBefore = vmMeter.read();
        ThreadMeter.Reading threadsBefore = threadMeter.read();
        long begin = System.nanoTime();
        long checksum = workload.iterate(run);
        long wall = System.nanoTime() - begin;
        ThreadMeter.Reading threads = threadMeter.read().minus(threadsBefore);
        VmMeter.Reading vm = vmMeter.read().minus(vmBefore);
        lines.println(line("iteration")
                .add("iteration", iteration)
                .addMillis("wall_ms", wall)
                .addMillis("cpu_ms", threads.cpuNanos())
                .addMillis("process_cpu_ms", vm.cpuNanos())
                .add("allocated_bytes", threads.allocatedBytes())
                .addIfKnown("vm_allocated_bytes", vm.allocatedBytes())
                .add("collections", vm.collections())
                .add("gc_ms", vm.collectionMillis())
                .add("checksum", Long.toHexString(checksum)));
        return checksum;
    }

    private void printStart(long prepareNanos, long sinceJvmStart) {
        lines.println(line("start")
                .add("size", arguments.size())
                .add("iterations", arguments.iterations())
                .add("threads", arguments.threads())
                .add("java", System.getProperty("java.version"))
                .add("vm", System.getProperty("java.vm.name") + " " + System.getProperty("java.vm.version"))
                .addMillis("prepare_ms", prepareNanos)
                .add("since_jvm_start_ms", sinceJvmStart));
    }

    private JsonLine line(String event) {
        return new JsonLine(event).add("workload", arguments.workload().name());
    }
}
