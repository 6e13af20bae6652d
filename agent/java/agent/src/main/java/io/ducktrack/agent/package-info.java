/** The ducktrack agent, started and commanded by a program: in its own JVM or in another one. */
package io.ducktrack.agent;
