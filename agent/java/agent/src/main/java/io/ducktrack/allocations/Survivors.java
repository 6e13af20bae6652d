package io.ducktrack.allocations;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The objects that repetitions of a piece of the program leave behind: allocated by the piece, and still reachable after the last
 * repetition and full collections.
 *
 * <pre>
 * Survivors survivors = Survivors.of(() -&gt; orders.take(order), 20);
 * assertEquals(0, survivors.of(Session.class));
 * </pre>
 *
 * <p>The piece runs once before, uncounted. Each object is known with the calls that allocated it and with the chain of references that
 * holds it. Objects that only weak or soft references hold are not counted. The VM samples each allocation meanwhile, so the repetitions
 * are slow: this is for tests. With {@link Scope#ALL}, the first half megabyte of a thread that ran before may be missing.
 */
public final class Survivors {
    /** Weak references, cleaners and finalizers do their work after a collection. */
    private static final int COLLECTIONS = 3;
    private static final int MILLIS_BETWEEN = 20;

    /** The VM's distance between samples is half a megabyte on average; 64 MB without one do not happen. */
    private static final int BLOCK = 8192;
    private static final int MOST_BLOCKS = 8192;
    private static volatile byte[] unused;

    /** The VM has one allocation sampler: pieces are watched one after the other. */
    private static final ReentrantLock WATCHING = new ReentrantLock();

    private final int repetitions;
    private final List<SurvivorGroup> groups;

    private Survivors(int repetitions, SurvivorRows rows) {
        this.repetitions = repetitions;
        groups = Collections.unmodifiableList(rows.groups);
    }

    /** Those of the calling thread. */
    public static Survivors of(Body body, int repetitions) {
        return of(body, 1, repetitions, Scope.THREAD);
    }

    /**
     * Those of so many repetitions, after {@code warmUp} runs that are not watched.
     *
     * <p>Where this JVM does not count, nothing is returned: a test is skipped, or fails with {@code -Dducktrack.required=true}.
     */
    public static Survivors of(Body body, int warmUp, int repetitions, Scope scope) {
        Agent agent = Agent.present();
        if (agent == null) {
            throw Unknown.because(Allocations.whyAbsent());
        }
        if (agent.isVirtual(Thread.currentThread())) {
            throw Unknown.because("what a virtual thread leaves behind is not known: the VM samples by carrier; run the test on a platform thread");
        }
        WATCHING.lock();
        try {
            for (int run = 0; run < warmUp; run++) {
                body.run();
            }
            String rows = watched(agent, body, repetitions, scope);
            return new Survivors(repetitions, new SurvivorRows(rows));
        } catch (Throwable thrown) {
            throw Allocations.unchecked(thrown);
        } finally {
            WATCHING.unlock();
        }
    }

    private static String watched(Agent agent, Body body, int repetitions, Scope scope) throws Throwable {
        int state = agent.watch.watch(scope == Scope.ALL ? null : Thread.currentThread());
        if (state != Agent.STARTED) {
            throw Unknown.because(state == Agent.SAMPLER_IS_TAKEN
                    ? "the VM's allocation sampler is taken (by another agent, or by ducktrack's own call stacks: stacks=off), so it is not known what stays"
                    : "the ducktrack agent of this JVM does not count: its recording has ended, or has a mode other than mode=count");
        }
        String rows = null;
        boolean isSampled = false;
        try {
            isSampled = await(agent);
            for (int repetition = 1; repetition <= repetitions; repetition++) {
                agent.repetition.isSampledFrom(repetition);
                try {
                    body.run();
                } finally {
                    agent.repetition.isSampledFrom(0);
                }
            }
            collect();
        } finally {
            rows = agent.survivors.end();
        }
        if (!isSampled) {
            throw Unknown.because("the VM does not sample the allocations of this thread, so it is not known what stays");
        }
        if (rows == null) {
            throw Unknown.because("the heap of this JVM could not be walked, so it is not known what stays");
        }
        return rows;
    }

    /** A thread goes on with the distance to the next sample that it had before: until there, nothing is sampled. */
    private static boolean await(Agent agent) {
        for (int block = 0; block < MOST_BLOCKS; block++) {
            if (agent.repetition.isSampledFrom(0)) {
                return true;
            }
            unused = new byte[BLOCK];
        }
        return false;
    }

    private static void collect() throws InterruptedException {
        for (int number = 0; number < COLLECTIONS; number++) {
            System.gc();
            Thread.sleep(MILLIS_BETWEEN);
        }
    }

    /** How often the piece was run. */
    public int repetitions() {
        return repetitions;
    }

    /** Objects of exactly this class. */
    public long of(Class<?> type) {
        return groups.stream().filter(group -> group.type().equals(type.getTypeName())).mapToLong(SurvivorGroup::objects).sum();
    }

    /** All objects. */
    public long objects() {
        return groups.stream().mapToLong(SurvivorGroup::objects).sum();
    }

    /** Objects of one type that the same calls allocated; those of most repetitions first. */
    public List<SurvivorGroup> groups() {
        return groups;
    }

    /**
     * Those of which at least three quarters of the repetitions left some: caches that fill up and slots that are overwritten are not among
     * them. Groups that others of these hold are with their holder: {@link SurvivorGroup#withIt}.
     */
    public List<SurvivorGroup> leaks() {
        List<SurvivorGroup> leaks = new ArrayList<>();
        for (SurvivorGroup group : groups) {
            if (grows(group) && heads(group) == group) {
                leaks.add(group);
            }
        }
        for (SurvivorGroup leak : leaks) {
            leak.withIt.clear();
            groups.stream().filter(group -> group != leak && grows(group) && heads(group) == leak).forEach(leak.withIt::add);
        }
        return leaks;
    }

    private boolean grows(SurvivorGroup group) {
        return 4L * group.repetitions() >= 3L * repetitions;
    }

    /** The growing group because of which this one stays. Of groups that hold each other it is the first. */
    private SurvivorGroup heads(SurvivorGroup group) {
        List<SurvivorGroup> way = new ArrayList<>();
        SurvivorGroup at = group;
        while (!way.contains(at)) {
            way.add(at);
            at = outermost(at);
        }
        List<SurvivorGroup> circle = way.subList(way.indexOf(at), way.size());
        return Collections.min(circle, Comparator.comparingInt(groups::indexOf));
    }

    /** The growing group outermost on the chain that holds this one. */
    private SurvivorGroup outermost(SurvivorGroup group) {
        SurvivorGroup found = group;
        for (Holder holder : group.holders()) {
            if (holder.group() >= 0 && grows(groups.get(holder.group()))) {
                found = groups.get(holder.group());
            }
        }
        return found;
    }
}
