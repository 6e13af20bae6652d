import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Objects that live for a random number of rounds; each round ends with a collection, after which the program prints the time and how many objects of each class live.
 *
 * <p>{@code java KnownDeaths SEED ROUNDS}.
 */
public final class KnownDeaths {
    private static final class Small {
        Object other;
    }

    private static final class Wide {
        long first;
        long second;
        long third;
    }

    private static final class Held {
        final byte[] bytes;

        Held(int length) {
            bytes = new byte[length];
        }
    }

    private static final int CLASSES = 3;

    private KnownDeaths() {}

    /** The words of the class comment. */
    public static void main(String[] words) throws InterruptedException {
        Random random = new Random(Long.parseLong(words[0]));
        int rounds = Integer.parseInt(words[1]);
        List<List<Object>> dying = new ArrayList<>();
        int[][] lives = new int[rounds][CLASSES];
        for (int round = 0; round < rounds; round++) {
            dying.add(new ArrayList<>());
        }
        for (int round = 0; round < rounds; round++) {
            for (int made = random.nextInt(20_000); made >= 0; made--) {
                int kind = random.nextInt(100);
                Object object = kind < 50 ? new Small() : kind < 90 ? new Wide() : new Held(lengthOf(random));
                int last = round + random.nextInt(5) - 1;
                if (last < round) {
                    continue;
                }
                int place = object instanceof Small ? 0 : object instanceof Wide ? 1 : 2;
                for (int alive = round; alive <= Math.min(last, rounds - 1); alive++) {
                    lives[alive][place]++;
                }
                dying.get(Math.min(last, rounds - 1)).add(object);
            }
            System.gc();
            System.out.println("round " + System.currentTimeMillis() + " " + lives[round][0] + " " + lives[round][1] + " " + lives[round][2]);
            // The next round's cycles begin in another millisecond.
            Thread.sleep(3);
            dying.set(round, null);
        }
    }

    /** Mostly small, a few that take pages of medium size, or one of their own. */
    private static int lengthOf(Random random) {
        int one = random.nextInt(1000);
        return one == 0 ? 5 << 20 : one < 6 ? 300_000 : one;
    }
}
