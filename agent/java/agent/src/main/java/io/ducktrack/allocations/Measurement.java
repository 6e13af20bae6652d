package io.ducktrack.allocations;

/** One run of a piece, between two readings of the thread's counters. Nothing here allocates: its own counters must not move in between. */
final class Measurement {
    /** The agent's answer for the last run. */
    String rows;
    /** Whether the agent could begin. */
    int state;

    void run(Agent agent, boolean allThreads, Body body) throws Throwable {
        state = agent.begin.begin(allThreads);
        if (state != Agent.STARTED) {
            return;
        }
        try {
            body.run();
        } finally {
            rows = agent.end.end();
        }
    }
}
