import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;

/**
 * Keeps something of each megabyte that it allocates, in the way that is named: nothing, slow, leak, late (from the middle on), last (from 80 % on),
 * dropped (from 70 % on, and none when it ends), unlooked (from 60 % on, after the only collection that it asks for), weak, or keys (a weak table of its own).
 */
public class VerdictShapes {
    static final int MEGABYTES = 480;
    static final List<byte[]> HELD = new ArrayList<>();
    static final List<int[]> SMALL = new ArrayList<>();
    static final Map<Integer, long[]> LARGE = new HashMap<>();
    static final Map<Object, long[]> WEAK = new WeakHashMap<>();
    static final Object[] KEYS = new Object[3_000];
    static final Map<Key, long[]> BY_KEY = new HashMap<>();
    static final ReferenceQueue<Object> GONE = new ReferenceQueue<>();
    static final List<String> ALONE = List.of("dropped", "unlooked", "weak", "keys");
    static Object sink;

    static final class Key extends WeakReference<Object> {
        final int hash;

        Key(Object referent) {
            super(referent, GONE);
            hash = System.identityHashCode(referent);
        }

        @Override
        public int hashCode() {
            return hash;
        }
    }

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
            if (mb % 30 == 29 && !ALONE.contains(shape) || shape.equals("unlooked") && mb == MEGABYTES * 11 / 20) {
                System.gc();
            }
        }
        if (shape.equals("dropped")) {
            LARGE.clear();
        }
        System.out.println(HELD.size() + SMALL.size() + LARGE.size() + WEAK.size() + BY_KEY.size());
    }

    private static void keep(String shape, int mb) {
        switch (shape) {
            case "slow" -> {
                for (int at = 0; at < 10; at++) {
                    SMALL.add(new int[2]);
                }
            }
            case "leak" -> LARGE.put(mb, new long[8_000]);
            case "late" -> keepFrom(MEGABYTES / 2, mb);
            case "last" -> keepFrom(MEGABYTES * 4 / 5, mb);
            case "dropped" -> keepFrom(MEGABYTES * 7 / 10, mb);
            case "unlooked" -> keepFrom(MEGABYTES * 3 / 5, mb);
            case "weak" -> {
                for (int at = 0; at < 100; at++) {
                    int key = (mb * 100 + at) % KEYS.length;
                    KEYS[key] = new Object();
                    WEAK.put(KEYS[key], new long[32]);
                }
            }
            case "keys" -> {
                for (int at = 0; at < 100; at++) {
                    int key = (mb * 100 + at) % KEYS.length;
                    KEYS[key] = new Object();
                    for (Reference<?> gone = GONE.poll(); gone != null; gone = GONE.poll()) {
                        BY_KEY.remove(gone);
                    }
                    BY_KEY.put(new Key(KEYS[key]), new long[32]);
                }
            }
            default -> { }
        }
    }

    private static void keepFrom(int start, int mb) {
        if (mb > start) {
            LARGE.put(mb, new long[8_000]);
        }
    }
}
