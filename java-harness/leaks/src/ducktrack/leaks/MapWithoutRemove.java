package ducktrack.leaks;

import java.util.HashMap;
import java.util.Map;

/**
 * Requests are entered into a map when they begin, and looked up once; they are never taken out.
 *
 * <p>CULPRIT ducktrack.leaks.MapWithoutRemove$Request made in ducktrack.leaks.MapWithoutRemove.begin
 * held by static ducktrack.leaks.MapWithoutRemove.OPEN
 */
public final class MapWithoutRemove {
    private static final Map<Integer, Request> OPEN = new HashMap<>();

    private MapWithoutRemove() {}

    private record Request(int number, char[] body) {}

    private static void begin(int number) {
        OPEN.put(number, new Request(number, new char[800]));
    }

    private static void end(int number) {
        OPEN.get(number).body[0] = 'e';
    }

    /** Takes no words. */
    public static void main(String[] words) throws Exception {
        Work.steps(number -> {
            begin(number);
            end(number);
        });
    }
}
