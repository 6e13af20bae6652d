package io.ducktrack.junit;

import io.ducktrack.allocations.Scope;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/** How the allocations of tests are counted. Also makes tests obey the limits of {@code ducktrack.toml} that have no other annotation. */
@Documented
@Target({ElementType.METHOD, ElementType.TYPE, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(AllocationExtension.class)
public @interface AllocationTest {
    /** Whose objects are counted. */
    Scope scope() default Scope.THREAD;

    /**
     * Runs of the test method before the one that is counted, on the same instance, without {@code @BeforeEach} in between. They initialize
     * classes, link lambdas and fill caches. 0: the first run counts.
     */
    int warmUp() default 1;
}
