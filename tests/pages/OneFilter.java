/**
 * Two classes that make the same things at the same places of the library: in each round a string of the library with its array, and an array of their own. All of
 * it stays alive, in an array that a static field holds. Arguments: rounds of Mine, rounds of Others.
 */
public class OneFilter {
    static final String TEXT = "0123456789";

    public static void main(String[] arguments) {
        int mine = Integer.parseInt(arguments[0]);
        int others = Integer.parseInt(arguments[1]);
        Mine.begin(mine);
        Others.begin(others);
        for (int round = 0; round < Math.max(mine, others); round++) {
            if (round < mine) {
                Mine.keep(round);
            }
            if (round < others) {
                Others.keep(round);
            }
            if (round % 1_000 == 999) {
                System.gc();
            }
        }
        System.gc();
        System.out.println(Mine.kept.length + Others.kept.length);
    }
}

class Mine {
    static Object[] kept;

    static void begin(int rounds) {
        kept = new Object[2 * rounds];
    }

    static void keep(int round) {
        kept[2 * round] = OneFilter.TEXT.substring(1, 5);
        kept[2 * round + 1] = new int[3];
    }
}

class Others {
    static Object[] kept;

    static void begin(int rounds) {
        kept = new Object[2 * rounds];
    }

    static void keep(int round) {
        kept[2 * round] = OneFilter.TEXT.substring(2, 6);
        kept[2 * round + 1] = new int[3];
    }
}
