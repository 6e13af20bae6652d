package io.ducktrack.allocations;

/** A measurement that begins in one call and ends in another, on the same thread: for harnesses that call back before and after a piece. */
public final class RunningMeasurement {
    private final Agent agent;
    private final Measurement measurement = new Measurement();

    private RunningMeasurement(Agent agent) {
        this.agent = agent;
    }

    /** Begins one. Where this JVM does not count, it throws what {@link Allocations#of} throws. */
    public static RunningMeasurement begin(Scope scope) {
        Agent agent = Agent.present();
        if (agent == null) {
            throw Unknown.because(Allocations.whyAbsent());
        }
        RunningMeasurement running = new RunningMeasurement(agent);
        running.measurement.state = agent.begin.begin(scope == Scope.ALL);
        return running;
    }

    /** Ends it. */
    public Allocations end() {
        if (measurement.state == Agent.STARTED) {
            measurement.rows = agent.end.end();
        }
        try {
            return Allocations.read(measurement);
        } finally {
            agent.resume.run();
        }
    }
}
