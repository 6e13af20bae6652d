/** Executed allocations of benchmarks: JMH's {@code -prof ducktrack}. */
package io.ducktrack.jmh;
