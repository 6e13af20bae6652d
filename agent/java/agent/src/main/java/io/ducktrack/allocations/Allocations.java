package io.ducktrack.allocations;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/**
 * The executed allocations of a piece of the program.
 *
 * <pre>
 * Allocations allocations = Allocations.of(() -&gt; parse(document));
 * assertEquals(3, allocations.of(Node.class));
 * </pre>
 *
 * <p>Counted is what the code asks for, whether or not the JIT removes it: the figures are the same cold and warm, on each collector and
 * machine. The piece runs twice: the first run, which may initialize classes and fill caches, is not counted. Measurements may be nested;
 * an outer one has one run of an inner piece. Bytes depend on how the JVM lays objects out.
 */
public final class Allocations {
    private final List<AllocationSite> sites;
    private final String layout;

    private Allocations(Rows rows) {
        sites = Collections.unmodifiableList(rows.sites);
        layout = rows.layout;
    }

    private Allocations(List<AllocationSite> sites, String layout) {
        this.sites = sites;
        this.layout = layout;
    }

    /** Those of the calling thread in the second of two runs of the piece. */
    public static Allocations of(Body body) {
        return of(body, 1, Scope.THREAD);
    }

    /**
     * Those of one run after {@code warmUp} runs that are not counted.
     *
     * <p>Where this JVM does not count, nothing is returned: a test is skipped, or fails with {@code -Dducktrack.required=true}.
     */
    public static Allocations of(Body body, int warmUp, Scope scope) {
        Agent agent = Agent.present();
        if (agent == null) {
            throw Unknown.because(whyAbsent());
        }
        agent.pause.run();
        Measurement measurement = new Measurement();
        try {
            for (int run = 0; run < warmUp; run++) {
                body.run();
            }
            agent.resume.run();
            measurement.run(agent, scope == Scope.ALL, body);
            return read(measurement);
        } catch (Throwable thrown) {
            throw unchecked(thrown);
        } finally {
            agent.resume.run();
        }
    }

    /** Those of sites in the agent's answer to a command; most bytes first. */
    public static Allocations ofSites(List<Map<String, Object>> sites) {
        return new Allocations(new Rows(sites));
    }

    /** Opens a context on the calling thread: what it allocates until {@link Context#close} is in reports by context, under this name. */
    public static Context context(String name) {
        return Context.open(Context.KIND, name);
    }

    /** The same with a kind of contexts: {@code tenant}, {@code job}. Objects are of the innermost context of each kind. */
    public static Context context(String kind, String name) {
        return Context.open(kind, name);
    }

    static Allocations read(Measurement measurement) {
        if (measurement.state == Agent.NO_COUNTERS) {
            throw Unknown.because("this thread has no counters of its own (the agent had no memory for them), so its allocations are not known");
        }
        if (measurement.state != Agent.STARTED || measurement.rows == null) {
            throw Unknown.because("the ducktrack agent of this JVM does not count: its recording has ended, or has a mode other than mode=count");
        }
        Rows rows = new Rows(measurement.rows);
        if (rows.lost > 0) {
            throw Unknown.because(rows.lost + " objects found no room in the agent's table of callers, so the allocations are not known");
        }
        return new Allocations(rows);
    }

    @SuppressWarnings("unchecked")
    static <T extends Throwable> RuntimeException unchecked(Throwable thrown) throws T {
        throw (T) thrown;
    }

    /** Why nothing can be counted in this JVM, with the line to add; null if it can. */
    public static String whyAbsent() {
        return Agent.present() != null ? null
                : "the ducktrack agent is not loaded: add the goal `prepare` of ducktrack-maven-plugin to the build, or give this JVM the option that `java -jar ducktrack-agent.jar` prints";
    }

    /** Objects. */
    public long objects() {
        return sites.stream().mapToLong(site -> site.objects).sum();
    }

    /** Bytes. */
    public long bytes() {
        return sites.stream().mapToLong(site -> site.bytes).sum();
    }

    /** Objects of exactly this class. */
    public long of(Class<?> type) {
        return sites.stream().filter(site -> site.type().equals(type.getTypeName())).mapToLong(site -> site.objects).sum();
    }

    /** Where they were allocated; most objects first. */
    public List<AllocationSite> sites() {
        return sites;
    }

    /** Those in a package or class, or allocated by a library on its behalf: see {@link AllocationSite#isIn}. */
    public Allocations in(String... patterns) {
        return where(site -> Arrays.stream(patterns).anyMatch(site::isIn));
    }

    /** Those at sites of which something holds. */
    public Allocations where(Predicate<AllocationSite> isWanted) {
        List<AllocationSite> found = new ArrayList<>(sites);
        found.removeIf(isWanted.negate());
        return new Allocations(Collections.unmodifiableList(found), layout);
    }

    /**
     * Bytes of a header, of a reference, before the elements of a byte array, and the alignment: bytes are comparable where these are
     * equal.
     */
    public String layout() {
        return layout;
    }

    @Override
    public String toString() {
        return objects() + " objects, " + bytes() + " bytes";
    }
}
