import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;

/** Keeps something of each megabyte that it allocates, in the way that is named: nothing, slow, leak, late or weak. */
public class VerdictShapes {
    static final int MEGABYTES = 480;
    static final List<byte[]> HELD = new ArrayList<>();
    static final List<int[]> SMALL = new ArrayList<>();
    static final Map<Integer, long[]> LARGE = new HashMap<>();
    static final Map<Object, long[]> WEAK = new WeakHashMap<>();
    static final Object[] KEYS = new Object[3_000];
    static Object sink;

    public static void main(String[] arguments) {
        String shape = arguments[0];
        for (int mb = 0; mb < 20; mb++) {
            HELD.add(new byte[1 << 20]);
        }
        for (int mb = 0; mb < MEGABYTES; mb++) {
            for (int at = 0; at < 1024; at++) {
                sink = new byte[1008];
            }
            keep(shape, mb);
            if (mb % 30 == 29 && !shape.equals("weak")) {
                System.gc();
            }
        }
        System.out.println(HELD.size() + SMALL.size() + LARGE.size() + WEAK.size());
    }

    private static void keep(String shape, int mb) {
        switch (shape) {
            case "slow" -> {
                for (int at = 0; at < 10; at++) {
                    SMALL.add(new int[2]);
                }
            }
            case "leak" -> LARGE.put(mb, new long[8_000]);
            case "late" -> {
                if (mb > MEGABYTES / 2) {
                    LARGE.put(mb, new long[8_000]);
                }
            }
            case "weak" -> {
                for (int at = 0; at < 100; at++) {
                    int key = (mb * 100 + at) % KEYS.length;
                    KEYS[key] = new Object();
                    WEAK.put(KEYS[key], new long[32]);
                }
            }
            default -> { }
        }
    }
}
