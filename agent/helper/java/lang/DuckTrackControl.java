package java.lang;

/**
 * Gives commands to the recording of this JVM, from inside of the program: the requests and answers of the control socket. The class is
 * there where the agent is; a program finds it without depending on it, as {@link DuckTrackMark}.
 */
public final class DuckTrackControl {
    private DuckTrackControl() {}

    /** The answer to a request, both a line of JSON: {@code {"command":"status"}}. Comes back when the command has been carried out. */
    public static native String ask(String request);
}
