import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Answers visits to a shop that it makes up, and needs no library. {@code java Visits 200000 [MILLIS BETWEEN TWO]} */
public class Visits {
    /** The leak: a session is put here and never removed. */
    private static final Map<Integer, Session> SESSIONS = new HashMap<>();

    public static void main(String[] arguments) throws InterruptedException {
        int visits = Integer.parseInt(arguments[0]);
        long characters = 0;
        for (int visit = 0; visit < visits; visit++) {
            Session session = open(visit);
            Map<String, String> query = parse("item=" + visit % 1000 + "&size=" + visit % 7 + "&color=blue");
            characters += page(session, query).length();
            if (arguments.length > 1) {
                Thread.sleep(Integer.parseInt(arguments[1]));
            }
        }
        System.out.println(visits + " visits, " + characters + " characters of pages");
    }

    private static Session open(int visit) {
        Session session = new Session("customer " + visit % 100);
        SESSIONS.put(visit, session);
        return session;
    }

    private static Map<String, String> parse(String query) {
        Map<String, String> words = new HashMap<>();
        for (String pair : query.split("&")) {
            String[] parts = pair.split("=");
            words.put(parts[0], parts[1]);
        }
        return words;
    }

    private static String page(Session session, Map<String, String> query) {
        List<String> lines = new ArrayList<>();
        lines.add("Hello " + session.customer);
        query.forEach((name, value) -> lines.add(name + ": " + value));
        return String.join("\n", lines);
    }

    private static final class Session {
        final String customer;
        final byte[] buffer = new byte[64];

        Session(String customer) {
            this.customer = customer;
        }
    }
}
