package io.ducktrack.agent;

/**
 * A recording of allocations, in this JVM or another one.
 *
 * <pre>
 * Ducktrack ducktrack = Ducktrack.start(new Options().output(Path.of("counts")));
 * ...
 * ducktrack.snapshot().allocations().sites().forEach(System.out::println);
 * ducktrack.stop();
 * </pre>
 *
 * <p>Each method throws {@link RefusedException} with the reason and what to do, where the agent or the JVM refuses.
 */
public final class Ducktrack {
    private final Target target;

    private Ducktrack(Target target) {
        this.target = target;
    }

    /** Starts a recording in this JVM, which must be allowed to attach to itself: {@code -Djdk.attach.allowAttachSelf=true}. */
    public static Ducktrack start(Options options) {
        begin(ProcessHandle.current().pid(), options);
        return ofThisJvm();
    }

    /** Starts a recording that counts in another JVM of this machine and user. */
    public static Ducktrack attach(long pid) {
        return attach(pid, new Options());
    }

    /** Starts a recording in another JVM of this machine and user. */
    public static Ducktrack attach(long pid, Options options) {
        if (pid == ProcessHandle.current().pid()) {
            return start(options);
        }
        begin(pid, options);
        return ofProcess(pid);
    }

    /** The recording of this JVM, whoever started it: the agent may have come by {@code -agentpath}. */
    public static Ducktrack ofThisJvm() {
        return new Ducktrack(new ThisJvm());
    }

    /** The recording of another JVM, whoever started it. */
    public static Ducktrack ofProcess(long pid) {
        return new Ducktrack(new OtherJvm(pid));
    }

    private static void begin(long pid, Options options) {
        Answer begun = new Answer(Loading.into(pid, options.toString()));
        if (begun.fields.containsKey("skipped")) {
            throw new RefusedException(begun.text("skipped"));
        }
    }

    /** Writes the counts of now into the recording, and gives them. */
    public Snapshot snapshot() {
        return new Snapshot(target.ask("{\"command\":\"snapshot\",\"sites\":true}"));
    }

    /** Begins a window of this name: reports can be limited to it. */
    public void mark(String name) {
        new Answer(target.ask("{\"command\":\"mark\",\"name\":" + quoted(name) + "}"));
    }

    /** Ends the recording, and takes the probes out of the program. */
    public Ended stop() {
        return new Ended(target.ask("{\"command\":\"stop\"}"));
    }

    /** What the recording is doing. */
    public Status status() {
        return new Status(target.ask("{\"command\":\"status\"}"));
    }

    /** Whether something is recorded now. */
    public boolean isRunning() {
        try {
            return target.isAlive() && !status().phase().equals("ended");
        } catch (RefusedException nothing) {
            return false;
        }
    }

    /** As JSON; control characters have no place in a name. */
    private static String quoted(String name) {
        return '"' + name.replaceAll("\\p{Cntrl}", " ").replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }
}
