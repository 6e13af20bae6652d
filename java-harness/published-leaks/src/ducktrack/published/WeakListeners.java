package ducktrack.published;

import java.util.Collections;
import java.util.Map;
import java.util.WeakHashMap;

/**
 * Listeners in a weak map, whose windows are closed sooner or later.
 *
 * <p>KIND weak map HEAP 48 CONTROL
 */
public final class WeakListeners {
    private static final Map<Object, char[]> LISTENERS = Collections.synchronizedMap(new WeakHashMap<>());
    private static final Object[] WINDOWS = new Object[4_000];

    private WeakListeners() {}

    /** Takes no words. */
    public static void main(String[] words) throws Exception {
        for (int request = 0; request < 300_000; request++) {
            Object window = new char[100];
            LISTENERS.put(window, new char[200]);
            WINDOWS[(int) (Math.abs(request * 2_654_435_761L) % WINDOWS.length)] = window;
        }
        System.out.println(LISTENERS.size() > 0);
    }
}
