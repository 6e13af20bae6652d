package acme;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What the tests are about. */
public class Orders {
    static final Map<Integer, Session> SESSIONS = new HashMap<>();
    static final Session[] CACHE = new Session[4];

    /** One for each order. */
    public static class Session {
        final byte[] buffer = new byte[100];
    }

    private static int last;

    /** Keeps each session: the leak. */
    public static Session open() {
        Session session = new Session();
        SESSIONS.put(last++, session);
        return session;
    }

    /** Keeps four. */
    public static Session cached() {
        Session session = new Session();
        CACHE[last++ % CACHE.length] = session;
        return session;
    }

    /** {@code number} sessions with their buffers, and a list with its array. */
    public static List<Session> some(int number) {
        List<Session> sessions = new ArrayList<>(number);
        for (int i = 0; i < number; i++) {
            sessions.add(new Session());
        }
        return sessions;
    }
}
