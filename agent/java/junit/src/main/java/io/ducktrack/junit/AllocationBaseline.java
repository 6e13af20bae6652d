package io.ducktrack.junit;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A test may allocate what its file of baselines says: {@code src/test/allocations/CLASS.txt}, one line for each site.
 * {@code -Dducktrack.update} writes the file.
 */
@Documented
@Target({ElementType.METHOD, ElementType.TYPE, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(AllocationExtension.class)
public @interface AllocationBaseline {
    /** Files the objects by site, or by package. */
    By by() default By.SITE;

    /** The subject of a line of the file. */
    enum By {
        /** A type allocated in a method, by a caller. */
        SITE,
        /** A package. */
        PACKAGE
    }
}
