/** Limits for the allocations of tests: JUnit 5 and 6. */
package io.ducktrack.junit;
