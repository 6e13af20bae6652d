package io.ducktrack.agent;

/** Another JVM of this machine and user: each request is another load of the library, which the JDK hands on. */
final class OtherJvm implements Target {
    private final long pid;

    OtherJvm(long pid) {
        this.pid = pid;
    }

    @Override
    public String ask(String request) {
        return Loading.into(pid, request);
    }

    @Override
    public boolean isAlive() {
        return ProcessHandle.of(pid).isPresent();
    }
}
