package io.ducktrack.junit;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Of the objects of a class that a test allocates, at most this many stay: they are reachable when the test method has returned and garbage
 * was collected.
 */
@Documented
@Target({ElementType.METHOD, ElementType.TYPE, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Repeatable(MaxSurvivors.List.class)
@ExtendWith(AllocationExtension.class)
public @interface MaxSurvivors {
    /** The class; objects of subclasses are not counted. */
    Class<?> type();

    /** The most objects that stay. */
    long value() default 0;

    /** Several of them. */
    @Documented
    @Target({ElementType.METHOD, ElementType.TYPE, ElementType.ANNOTATION_TYPE})
    @Retention(RetentionPolicy.RUNTIME)
    @ExtendWith(AllocationExtension.class)
    @interface List {
        /** Each. */
        MaxSurvivors[] value();
    }
}
