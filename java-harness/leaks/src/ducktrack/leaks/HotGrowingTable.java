package ducktrack.leaks;

import java.util.ArrayList;
import java.util.List;

/**
 * A table that grows because the program's data grow, all of which is used in every step: no leak. Only staleness can tell.
 *
 * <p>CONTROL needs staleness
 */
public final class HotGrowingTable {
    private static final List<Account> ACCOUNTS = new ArrayList<>();

    private HotGrowingTable() {}

    private static final class Account {
        final long[] amounts = new long[180];
    }

    private static void open() {
        ACCOUNTS.add(new Account());
    }

    /** Takes no words. */
    public static void main(String[] words) throws Exception {
        Work.steps(number -> {
            open();
            for (Account account : ACCOUNTS) {
                account.amounts[number % account.amounts.length]++;
            }
        });
    }
}
