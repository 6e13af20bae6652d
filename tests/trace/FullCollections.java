import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Several full collections, each with objects of one class from two sites of which a part has died: some of them only their order tells apart. Lists are cut
 * down in place, so that between full collections nothing is left to chance.
 */
public final class FullCollections {
    static class Single { long a; Object next; }
    static class Twin { long a; int b; Object next; }
    static class Young { int a; Object next; }

    static final List<Object> KEPT = new ArrayList<>();
    static final Map<Integer, String> TEXTS = new HashMap<>();
    static volatile Object sink;

    public static void main(String[] arguments) {
        int rounds = Integer.parseInt(arguments[0]);
        for (int round = 0; round < rounds; round++) {
            for (int i = 0; i < 1000; i++) {
                KEPT.add(new Single());
                KEPT.add(left());
                KEPT.add(right());
                KEPT.add(new byte[16 + i % 64 * 8]);
                TEXTS.put(round * 1000 + i, "text " + round + " " + i);
            }
            churn(40);
            thinOut(round);
            for (int i = 0; i < 100; i++) {
                KEPT.add(new Young());
            }
            System.gc();
        }
        sink = KEPT;
    }

    static Object left() {
        return new Twin();
    }

    static Object right() {
        return new Twin();
    }

    /** A part dies: another one in each round. */
    static void thinOut(int round) {
        int to = 0;
        for (int i = 0; i < KEPT.size(); i++) {
            if (i % 7 != round) {
                KEPT.set(to++, KEPT.get(i));
            }
        }
        KEPT.subList(to, KEPT.size()).clear();
    }

    /** So many megabytes of short-lived objects, a part of which lives for a while. */
    static void churn(int megabytes) {
        Object[] ring = new Object[512];
        for (int i = 0; i < megabytes * 1024; i++) {
            ring[i % ring.length] = new byte[1008];
            sink = ring;
        }
    }
}
