package ducktrack.leaks;

import java.util.LinkedList;
import java.util.List;

/**
 * The classic of Bond and McKinley (Leak pruning, 2009): a list that only grows.
 *
 * <p>CULPRIT ducktrack.leaks.ListLeak$Item made in ducktrack.leaks.ListLeak.add held by static ducktrack.leaks.ListLeak.LIST
 */
public final class ListLeak {
    private static final List<Item> LIST = new LinkedList<>();

    private ListLeak() {}

    private static final class Item {
        final int[] content = new int[400];
    }

    private static void add() {
        LIST.add(new Item());
    }

    /** Takes no words. */
    public static void main(String[] words) throws Exception {
        Work.steps(number -> add());
    }
}
