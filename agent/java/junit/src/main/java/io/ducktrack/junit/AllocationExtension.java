package io.ducktrack.junit;

import io.ducktrack.allocations.Allocations;
import io.ducktrack.allocations.Body;
import io.ducktrack.allocations.Scope;
import io.ducktrack.allocations.Survivors;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;
import org.junit.platform.commons.support.AnnotationSupport;
import org.opentest4j.AssertionFailedError;

/**
 * Counts what tests with limits allocate, and finds what they leave behind.
 *
 * <p>The first run of a test goes through JUnit, as every test does. The run that is counted calls the test method directly. Tests without
 * limits run as if the extension were not there.
 */
final class AllocationExtension implements ExecutionCondition, InvocationInterceptor {
    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
        String why = Allocations.whyAbsent();
        Optional<Method> test = context.getTestMethod();
        if (why == null || !test.isPresent() || UnknownInTest.isFailure() || !Limits.has(context, test.get())) {
            return ConditionEvaluationResult.enabled("");
        }
        return ConditionEvaluationResult.disabled("it has a limit of ducktrack, and " + why);
    }

    @Override
    public void interceptTestMethod(Invocation<Void> invocation, ReflectiveInvocationContext<Method> call, ExtensionContext context) throws Throwable {
        check(invocation, call, context);
    }

    @Override
    public void interceptTestTemplateMethod(Invocation<Void> invocation, ReflectiveInvocationContext<Method> call, ExtensionContext context) throws Throwable {
        check(invocation, call, context);
    }

    private static void check(Invocation<Void> invocation, ReflectiveInvocationContext<Method> call, ExtensionContext context) throws Throwable {
        if (!Limits.has(context, call.getExecutable())) {
            invocation.proceed();
            return;
        }
        List<Limit> limits = Limits.of(context, call.getExecutable());
        List<SurvivorLimit> survivorLimits = Limits.ofSurvivors(context, call.getExecutable());
        Optional<AllocationTest> how = find(context, call.getExecutable());
        int warmUp = how.map(AllocationTest::warmUp).orElse(1);
        if (warmUp > 0) {
            invocation.proceed();
        } else {
            invocation.skip();
        }
        Body body = DirectCall.of(call.getExecutable(), call.getTarget().orElseThrow(), call.getArguments());
        Scope scope = how.map(AllocationTest::scope).orElse(Scope.THREAD);
        List<String> broken = new ArrayList<>();
        if (!limits.isEmpty()) {
            Allocations found = Allocations.of(body, Math.max(0, warmUp - 1), scope);
            limits.forEach(limit -> add(broken, limit.broken(found)));
        }
        for (SurvivorLimit limit : survivorLimits) {
            add(broken, limit.broken(Survivors.of(body, 0, limit.repetitions(), scope)));
        }
        if (!broken.isEmpty()) {
            throw failure(call.getExecutable(), String.join(System.lineSeparator(), broken));
        }
    }

    private static void add(List<String> broken, String why) {
        if (why != null) {
            broken.add(why);
        }
    }

    /** The failure has the test as its only frame: those of JUnit say nothing. */
    private static AssertionFailedError failure(Method test, String message) {
        AssertionFailedError failure = new AssertionFailedError(message);
        failure.setStackTrace(new StackTraceElement[] {new StackTraceElement(test.getDeclaringClass().getName(), test.getName(), null, -1)});
        return failure;
    }

    private static Optional<AllocationTest> find(ExtensionContext context, Method test) {
        Optional<AllocationTest> own = AnnotationSupport.findAnnotation(test, AllocationTest.class);
        return own.isPresent() ? own : AnnotationSupport.findAnnotation(context.getRequiredTestClass(), AllocationTest.class);
    }
}
