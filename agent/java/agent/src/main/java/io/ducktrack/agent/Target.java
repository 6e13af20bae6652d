package io.ducktrack.agent;

/** A JVM that the agent is in. */
interface Target {
    /** The answer to a request, both JSON. */
    String ask(String request);

    /** Whether it can still be asked. */
    boolean isAlive();
}
