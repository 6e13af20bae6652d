/** An agent that does nothing: what a JVM does differently because any agent is there. */
public final class IdleAgent {
    private IdleAgent() {}

    public static void premain(String options) {}
}
