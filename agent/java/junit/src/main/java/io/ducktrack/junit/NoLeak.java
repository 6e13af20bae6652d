package io.ducktrack.junit;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Repetitions of a test leave nothing behind: there is no type and place of which three quarters of the repetitions left objects that are
 * still reachable at the end. Objects that only weak or soft references hold, a cache that is full after some repetitions, and a slot that
 * the next repetition overwrites are no leak.
 */
@Documented
@Target({ElementType.METHOD, ElementType.TYPE, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(AllocationExtension.class)
public @interface NoLeak {
    /**
     * Runs of the test method on the same instance, without {@code @BeforeEach} in between. A bounded cache must be full before the first
     * quarter of them is over.
     */
    int repeat() default 20;
}
