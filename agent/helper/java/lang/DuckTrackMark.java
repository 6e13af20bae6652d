package java.lang;

/**
 * Cuts a recording into named windows, from inside of the program. The class is there where the agent is; a program finds it without
 * depending on it:
 *
 * <pre>
 * Method mark = Class.forName("java.lang.DuckTrackMark").getMethod("mark", String.class);
 * mark.invoke(null, "request");
 * </pre>
 *
 * <p>A window reaches from its mark to the next one, or to the end of the recording.
 */
public final class DuckTrackMark {
    private DuckTrackMark() {}

    /**
     * A window of this name begins. False: nothing is recorded any more, or the name is empty or longer than 200 bytes. Comes back when the
     * counts are written.
     */
    public static boolean mark(String name) {
        return name != null && begin(name);
    }

    private static native boolean begin(String name);
}
