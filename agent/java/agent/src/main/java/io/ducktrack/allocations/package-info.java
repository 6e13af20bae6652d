/** Executed allocations of a piece of the program, counted by the ducktrack agent. */
package io.ducktrack.allocations;
