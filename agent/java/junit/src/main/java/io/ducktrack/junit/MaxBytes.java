package io.ducktrack.junit;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A test may allocate at most this many bytes. Bytes depend on how the JVM lays objects out: prefer {@link MaxObjects} where it does.
 */
@Documented
@Target({ElementType.METHOD, ElementType.TYPE, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(AllocationExtension.class)
public @interface MaxBytes {
    /** The most bytes: {@code 4096}, {@code 4KiB}, {@code 1MB}. */
    String value();
}
