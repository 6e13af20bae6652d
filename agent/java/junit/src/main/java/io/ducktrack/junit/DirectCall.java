package io.ducktrack.junit;

import io.ducktrack.allocations.Body;
import java.lang.invoke.LambdaMetafactory;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Calls of test methods by nothing but an invoke instruction, so that no object of JUnit or of reflection is among those of the test. The
 * JDK makes a class for each method, as for a method reference; the receiver and the arguments are its fields.
 */
final class DirectCall {
    private static final Map<Method, MethodHandle> MAKERS = new ConcurrentHashMap<>();

    private DirectCall() {}

    /** A call of the method on an object, with these arguments. */
    static Body of(Method method, Object receiver, List<Object> arguments) throws Throwable {
        MethodHandle maker = MAKERS.get(method);
        if (maker == null) {
            maker = maker(method);
            MAKERS.put(method, maker);
        }
        List<Object> captured = new ArrayList<>();
        captured.add(receiver);
        captured.addAll(arguments);
        return (Body) maker.invokeWithArguments(captured);
    }

    private static MethodHandle maker(Method method) throws Throwable {
        Class<?> holder = method.getDeclaringClass();
        MethodHandles.Lookup lookup;
        try {
            lookup = MethodHandles.privateLookupIn(holder, MethodHandles.lookup());
        } catch (IllegalAccessException closed) {
            throw new IllegalStateException("allocations of " + holder.getName() + " cannot be counted: its module must open its package to io.ducktrack.junit", closed);
        }
        MethodHandle target = lookup.unreflect(method);
        MethodType run = MethodType.methodType(void.class);
        // A body of the test's own loader would need an interface that it sees; this one is public and in our library.
        return LambdaMetafactory.metafactory(lookup, "run", target.type().changeReturnType(Body.class), run, target, run).getTarget();
    }
}
