import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Two leaks, and what is none. Arguments: {@code service} or {@code list}, and {@code full} if a full collection is to come in the end.
 *
 * <p>{@code service}: each request opens a session that is closed some 10,000 requests later (it gets old, and dies there), and leaks: one request in two a
 * listener with its name and two events, one in five or eleven a cached page with its text. Its start takes two fifths of the time, and
 * what is made then stays. {@code list}: a list that only grows, with full collections on the way, and is dropped as the program ends.
 */
public class GrowthShapes {
    private static final ArrayDeque<Session> OPEN = new ArrayDeque<>();
    private static final Map<Integer, Listener> LISTENERS = new HashMap<>();
    private static final List<Page> PAGES = new ArrayList<>();
    private static final List<Setting> SETTINGS = new ArrayList<>();
    private static byte[] garbage;

    static final class Session {
        final long[] state = new long[20];
    }

    static final class Listener {
        final char[] name = new char[20];
        final Event first = new Event();
        final Event second = new Event();
    }

    static final class Event {
        long time;
    }

    static final class Page {
        final short[] text = new short[100];
    }

    static final class Setting {
        final long[] values = new long[10];
    }

    public static void main(String[] arguments) {
        if (arguments[0].equals("service")) {
            serve(150_000);
        } else {
            List<int[]> list = new ArrayList<>();
            for (int at = 0; at < 38_000; at++) {
                list.add(new int[250]);
                waste();
                if (at % 8_000 == 7_999) {
                    System.gc();
                }
            }
            System.gc();
            System.out.println(list.size());
            list = null;
            System.gc();
        }
        if (arguments.length > 1) {
            System.gc();
        }
    }

    private static void serve(int requests) {
        int random = 1;
        for (int request = 0; request < requests; request++) {
            random = random * 1_103_515_245 + 12_345;
            OPEN.add(new Session());
            if (OPEN.size() > 10_000) {
                OPEN.remove();
            }
            if ((random >>> 16) % 2 == 0) {
                LISTENERS.put(request, new Listener());
            }
            // Other requests than those that leak listeners, and not as many at all times.
            if ((random >>> 16) % (request / 15_000 % 2 == 0 ? 5 : 11) == 0) {
                PAGES.add(new Page());
            }
            // The program starts: after that there are as many as there are.
            if (request % 4 == 0 && request < requests * 2 / 5) {
                SETTINGS.add(new Setting());
            }
            waste();
        }
    }

    private static void waste() {
        for (int at = 0; at < 3; at++) {
            garbage = new byte[900];
        }
    }
}
