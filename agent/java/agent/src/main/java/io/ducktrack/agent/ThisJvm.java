package io.ducktrack.agent;

import java.lang.reflect.Method;

/**
 * The JVM that this code runs in: the agent's class {@code java.lang.DuckTrackControl} carries out commands, without the JDK's leave to
 * attach.
 */
final class ThisJvm implements Target {
    @Override
    public String ask(String request) {
        try {
            Method ask = Class.forName("java.lang.DuckTrackControl").getMethod("ask", String.class);
            String answer = (String) ask.invoke(null, request);
            if (answer == null) {
                throw new RefusedException("nothing is recorded in this JVM: call Ducktrack.start");
            }
            return answer;
        } catch (ClassNotFoundException absent) {
            throw new RefusedException("the ducktrack agent is not in this JVM: call Ducktrack.start, or give the JVM the option that `java -jar ducktrack-agent.jar` prints");
        } catch (ReflectiveOperationException fault) {
            throw new RefusedException("the ducktrack agent in this JVM does not fit this library: use both of one release", fault);
        }
    }

    @Override
    public boolean isAlive() {
        return true;
    }
}
