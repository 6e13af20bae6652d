import java.util.HashMap;
import java.util.Map;

/** A map that only grows: the objects, their sizes and their holder are known. */
public final class Sessions {
    static final int OPENED = 4000;
    static final Map<Integer, Session> OPEN = new HashMap<>();
    static byte[] garbage;

    private Sessions() {}

    /** What is kept: 24 bytes (without compact headers) and 1,016 of its array. */
    static final class Session {
        final byte[] state = new byte[1000];
        final Session before;

        Session(Session before) {
            this.before = before;
        }
    }

    static Session open(int number) {
        Session session = new Session(null);
        OPEN.put(number, session);
        return session;
    }

    /** Takes no words. */
    public static void main(String[] words) {
        for (int number = 0; number < OPENED; number++) {
            open(number);
            for (int lost = 0; lost < 20; lost++) {
                garbage = new byte[2000];
            }
        }
    }
}
