package io.ducktrack.allocations;

import java.lang.invoke.CallSite;
import java.lang.invoke.LambdaMetafactory;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/** The agent's side of contexts: {@code java.lang.DuckTrackContexts}, called as in {@link Agent}. */
final class ContextSwitch {
    /** Enters the context that a text names. */
    interface Enter {
        void enter(Object name, int pattern);
    }

    /** The number by which contexts of a kind are asked for. */
    interface Pattern {
        int of(String kind);
    }

    /** The contexts of the thread. */
    interface Current {
        int current();
    }

    /** Enters contexts that another thread was in. */
    interface EnterCarried {
        void enter(int contexts);
    }

    private static final String CLASS = "java.lang.DuckTrackContexts";
    /** An agent may be attached later: how often it is looked for. */
    private static final long LOOK_EVERY = TimeUnit.SECONDS.toNanos(1);

    private static volatile ContextSwitch present = find();
    private static volatile long lastLook = System.nanoTime();

    final Current current;
    final EnterCarried enterCarried;
    final Agent.Switch leave;
    private final Enter enter;
    private final Pattern pattern;
    private final ConcurrentHashMap<String, Integer> patterns = new ConcurrentHashMap<>();

    private ContextSwitch(Class<?> contexts) throws Throwable {
        enter = method(Enter.class, "enter", contexts, "enterNamed", MethodType.methodType(void.class, Object.class, int.class));
        pattern = method(Pattern.class, "of", contexts, "pattern", MethodType.methodType(int.class, String.class));
        current = method(Current.class, "current", contexts, "current", MethodType.methodType(int.class));
        enterCarried = method(EnterCarried.class, "enter", contexts, "enterCarried", MethodType.methodType(void.class, int.class));
        leave = method(Agent.Switch.class, "run", contexts, "leave", MethodType.methodType(void.class));
    }

    /** Null where there is no agent. */
    static ContextSwitch present() {
        ContextSwitch known = present;
        if (known == null && System.nanoTime() - lastLook > LOOK_EVERY) {
            lastLook = System.nanoTime();
            known = find();
            present = known;
        }
        return known;
    }

    void enter(String kind, String name) {
        Integer number = patterns.get(kind);
        if (number == null) {
            number = pattern.of(kind);
            patterns.put(kind, number);
        }
        enter.enter(name, number);
    }

    private static ContextSwitch find() {
        try {
            return new ContextSwitch(Class.forName(CLASS));
        } catch (ClassNotFoundException absent) {
            return null;
        } catch (Throwable fault) {
            throw new IllegalStateException("the ducktrack agent in this JVM does not fit this library: use both of one release", fault);
        }
    }

    private static <T> T method(Class<T> face, String faceMethod, Class<?> contexts, String name, MethodType type) throws Throwable {
        MethodHandles.Lookup lookup = MethodHandles.lookup();
        MethodHandle target = lookup.findStatic(contexts, name, type);
        CallSite site = LambdaMetafactory.metafactory(lookup, faceMethod, MethodType.methodType(face), type, target, type);
        return face.cast(site.getTarget().invoke());
    }
}
