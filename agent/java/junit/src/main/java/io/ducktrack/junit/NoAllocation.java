package io.ducktrack.junit;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A test may allocate nothing; with {@link #in}, nothing in these packages and classes, and nothing in a library that they call.
 */
@Documented
@Target({ElementType.METHOD, ElementType.TYPE, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(AllocationExtension.class)
public @interface NoAllocation {
    /** Packages and classes: {@code com.acme.hot..} with subpackages, {@code com.acme.Parser} with inner classes; none: all code. */
    String[] in() default {};
}
