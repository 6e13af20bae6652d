package ducktrack.leaks;

import java.util.ArrayList;
import java.util.List;

/**
 * The classic of Bond and McKinley: a list whose even elements are used in every step, and whose odd ones never are.
 *
 * <p>CULPRIT ducktrack.leaks.DualLeak$Unused made in ducktrack.leaks.DualLeak.add held by static ducktrack.leaks.DualLeak.ALL
 */
public final class DualLeak {
    private static final List<Item> ALL = new ArrayList<>();

    private DualLeak() {}

    private abstract static class Item {
        final int[] content = new int[200];
    }

    private static final class Used extends Item {}

    private static final class Unused extends Item {}

    private static void add() {
        ALL.add(new Used());
        ALL.add(new Unused());
    }

    /** Takes no words. */
    public static void main(String[] words) throws Exception {
        Work.steps(number -> {
            add();
            for (int at = 0; at < ALL.size(); at += 2) {
                ALL.get(at).content[0]++;
            }
        });
    }
}
