package ducktrack.leaks;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;

/**
 * Sessions end by logging out; those that just go away stay, one in two. (Those that log out are taken away ten steps later.)
 *
 * <p>CULPRIT ducktrack.leaks.SessionStore$Session made in ducktrack.leaks.SessionStore.login
 * held by static ducktrack.leaks.SessionStore.SESSIONS
 */
public final class SessionStore {
    private static final Map<Integer, Session> SESSIONS = new HashMap<>();
    private static final Deque<Integer> LEAVING = new ArrayDeque<>();
    private static final int STAY = 10;

    private SessionStore() {}

    private static final class Session {
        final Map<String, Object> attributes = new HashMap<>();
    }

    private static void login(int number) {
        Session session = new Session();
        session.attributes.put("basket", new byte[3000]);
        SESSIONS.put(number, session);
    }

    /** Takes no words. */
    public static void main(String[] words) throws Exception {
        Work.steps(number -> {
            login(number);
            if (number % 2 == 0) {
                LEAVING.add(number);
            }
            if (LEAVING.size() > STAY) {
                SESSIONS.remove(LEAVING.remove());
            }
        });
    }
}
