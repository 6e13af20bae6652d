package ducktrack.published;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;

/**
 * Sessions that end after five thousand more requests, in bursts and lulls.
 *
 * <p>KIND sessions with a time limit HEAP 64 CONTROL
 */
public final class ExpiringSessions {
    private static final Map<Integer, Session> OPEN = new HashMap<>();
    private static final Queue<Session> BY_TIME = new ArrayDeque<>();

    private ExpiringSessions() {}

    private record Session(int number, int end, char[] state) {}

    /** Takes no words. */
    public static void main(String[] words) throws Exception {
        long sum = 0;
        for (int request = 0; request < 400_000; request++) {
            boolean isBurst = request / 2_000 % 3 == 0;
            if (isBurst || request % 4 == 0) {
                Session session = new Session(request, request + 5_000, new char[500]);
                OPEN.put(request, session);
                BY_TIME.add(session);
            }
            while (!BY_TIME.isEmpty() && BY_TIME.peek().end() < request) {
                OPEN.remove(BY_TIME.remove().number());
            }
            sum += new byte[600].length;
        }
        System.out.println(sum + OPEN.size());
    }
}
