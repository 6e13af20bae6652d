package io.ducktrack.allocations;

import java.lang.invoke.CallSite;
import java.lang.invoke.LambdaMetafactory;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;

/**
 * The agent's side of a measurement: {@code java.lang.DuckTrackMeasured}.
 *
 * <p>Its methods are called through classes that the JDK makes for functional interfaces: these only call. A method handle would not do:
 * the JDK compiles a handle anew at its 127th call, which allocates, and would do so between the beginning and the end of a measurement.
 */
final class Agent {
    /** Begins a measurement. */
    interface Begin {
        int begin(boolean allThreads);
    }

    /** Ends it. */
    interface End {
        String end();
    }

    /** Stops or continues the measurements of the thread. */
    interface Switch {
        void run();
    }

    /** Begins to watch what a thread leaves behind. */
    interface Watch {
        int watch(Thread thread);
    }

    /** Numbers the repetitions that are watched; whether the thread's allocations are sampled. */
    interface Repetition {
        boolean isSampledFrom(int number);
    }

    static final int STARTED = 0;
    static final int NO_COUNTERS = 2;
    static final int SAMPLER_IS_TAKEN = 3;

    final Begin begin;
    final End end;
    final Switch pause;
    final Switch resume;
    final Watch watch;
    final Repetition repetition;
    final End survivors;

    /** Null where the agent is not loaded; it may come later. */
    private static volatile Agent present;

    private static final Class<?> VIRTUAL = virtual();

    private static Class<?> virtual() {
        try {
            return Class.forName("java.lang.BaseVirtualThread");
        } catch (ClassNotFoundException older) {
            return null;
        }
    }

    private Agent(Class<?> measured) throws Throwable {
        MethodType nothing = MethodType.methodType(void.class);
        begin = method(Begin.class, "begin", measured, "begin", MethodType.methodType(int.class, boolean.class));
        end = method(End.class, "end", measured, "end", MethodType.methodType(String.class));
        pause = method(Switch.class, "run", measured, "pause", nothing);
        resume = method(Switch.class, "run", measured, "resume", nothing);
        watch = method(Watch.class, "watch", measured, "watch", MethodType.methodType(int.class, Thread.class));
        repetition = method(Repetition.class, "isSampledFrom", measured, "repetition", MethodType.methodType(boolean.class, int.class));
        survivors = method(End.class, "end", measured, "survivors", MethodType.methodType(String.class));
    }

    /** Whether a thread is virtual, on a Java that has such. */
    boolean isVirtual(Thread thread) {
        return VIRTUAL != null && VIRTUAL.isInstance(thread);
    }

    /** The agent, or null. */
    static Agent present() {
        if (present == null) {
            present = find();
        }
        return present;
    }

    private static Agent find() {
        try {
            Class<?> measured = Class.forName("java.lang.DuckTrackMeasured");
            Agent agent = new Agent(measured);
            // All of it runs once before anything is counted.
            if (agent.begin.begin(false) == STARTED) {
                agent.pause.run();
                agent.resume.run();
                agent.end.end();
                agent.resume.run();
            }
            return agent;
        } catch (ClassNotFoundException absent) {
            return null;
        } catch (Throwable fault) {
            throw new IllegalStateException("the ducktrack agent in this JVM does not fit this library: use both of one release", fault);
        }
    }

    private static <T> T method(Class<T> face, String faceMethod, Class<?> measured, String name, MethodType type) throws Throwable {
        MethodHandles.Lookup lookup = MethodHandles.lookup();
        MethodHandle target = lookup.findStatic(measured, name, type);
        CallSite site = LambdaMetafactory.metafactory(lookup, faceMethod, MethodType.methodType(face), type, target, type);
        return face.cast(site.getTarget().invoke());
    }
}
