package io.ducktrack.junit;

import io.ducktrack.allocations.Budgets;
import io.ducktrack.allocations.ByteSize;
import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.TestTemplate;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.platform.commons.support.AnnotationSupport;

/** The limits of a test: by its annotations, by those of its class, by {@code ducktrack.toml}. */
final class Limits {
    /**
     * Test classes and methods, with whether they have limits. A repeated test asks for each repetition, and to look for annotations costs
     * as much as to run an empty test.
     */
    private static final Map<List<Object>, Boolean> KNOWN = new ConcurrentHashMap<>();

    private Limits() {}

    static boolean has(ExtensionContext context, Method test) {
        return KNOWN.computeIfAbsent(List.of(context.getRequiredTestClass(), test), key -> !of(context, test).isEmpty() || !ofSurvivors(context, test).isEmpty());
    }

    static List<Limit> of(ExtensionContext context, Method test) {
        Class<?> testClass = context.getRequiredTestClass();
        String name = testClass.getName() + "." + test.getName();
        List<Limit> limits = new ArrayList<>();
        find(MaxObjects.class, testClass, test).ifPresent(limit ->
                limits.add(new CountLimit(name, CountLimit.Unit.OBJECTS, limit.value(), "@MaxObjects(%d)")));
        find(MaxBytes.class, testClass, test).ifPresent(limit ->
                limits.add(new CountLimit(name, CountLimit.Unit.BYTES, ByteSize.parse(limit.value()), "@MaxBytes(\"%d\")")));
        find(NoAllocation.class, testClass, test).ifPresent(limit ->
                limits.add(new NothingLimit(name, limit.in())));
        find(AllocationBaseline.class, testClass, test).ifPresent(baseline ->
                limits.add(new BaselineLimit(testClass, test.getName(), invocation(context, test), baseline.by())));
        Budgets budgets = Budgets.ofProject();
        budgets.of("test", name).forEach(budget -> limits.add(new BudgetLimit(name, budget, budgets.file())));
        budgets.ofScopes().forEach(budget -> limits.add(new BudgetLimit(name, budget, budgets.file())));
        return limits;
    }

    /** The limits for objects that the test leaves behind. */
    static List<SurvivorLimit> ofSurvivors(ExtensionContext context, Method test) {
        Class<?> testClass = context.getRequiredTestClass();
        String name = testClass.getName() + "." + test.getName();
        List<SurvivorLimit> limits = new ArrayList<>();
        for (MaxSurvivors limit : findAll(MaxSurvivors.class, testClass, test)) {
            limits.add(new SurvivorCountLimit(name, limit.type(), limit.value()));
        }
        find(NoLeak.class, testClass, test).ifPresent(limit -> limits.add(new LeakLimit(name, limit.repeat())));
        return limits;
    }

    /** Tells the invocations of a template (a parameterized or repeated test) apart. */
    private static String invocation(ExtensionContext context, Method test) {
        return AnnotationSupport.isAnnotated(test, TestTemplate.class) ? context.getDisplayName() : "";
    }

    /** The annotation of the method, or else of the class or one that it is nested in. */
    private static <A extends Annotation> Optional<A> find(Class<A> type, Class<?> testClass, Method test) {
        Optional<A> found = AnnotationSupport.findAnnotation(test, type);
        for (Class<?> holder = testClass; !found.isPresent() && holder != null; holder = holder.getEnclosingClass()) {
            found = AnnotationSupport.findAnnotation(holder, type);
        }
        return found;
    }

    private static <A extends Annotation> List<A> findAll(Class<A> type, Class<?> testClass, Method test) {
        List<A> found = AnnotationSupport.findRepeatableAnnotations(test, type);
        for (Class<?> holder = testClass; found.isEmpty() && holder != null; holder = holder.getEnclosingClass()) {
            found = AnnotationSupport.findRepeatableAnnotations(holder, type);
        }
        return found;
    }
}
