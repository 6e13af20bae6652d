import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.ref.Reference;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/**
 * Objects whose last uses are known, while threads allocate: cycles of the collector come at any time, and objects move to where others were used. In round r the objects of all
 * groups from r on are used, those of group r for the last time. In each round objects are made that are never used. A thread uses some objects all the time.
 *
 * <p>Group 3 was made without a gap, so its pages are not worth moving: they become old as they are. Groups {@code Born} are made in a round, used while they become old, and for
 * the last time two rounds later. Groups {@code Random} are used at random times; each use is printed, the last one is the last.
 *
 * <p>Prints for each kind between which times (in microseconds) its objects were used last, or made.
 */
final class KnownUses {
    static final int ROUNDS = 6;

    static class Used {
        int number;
        Used next;

        int use() {
            return number;
        }
    }

    static final class Group0 extends Used {}
    static final class Group1 extends Used {}
    static final class Group2 extends Used {}
    static final class Group3 extends Used {}
    static final class Group4 extends Used {}
    static final class Group5 extends Used {}
    static final class Cold0 { long a; }
    static final class Cold1 { long a; }
    static final class Cold2 { long a; }
    static final class Cold3 { long a; }
    static final class Cold4 { long a; }
    static final class Cold5 { long a; }
    static final class Born0 extends Used {}
    static final class Born1 extends Used {}
    static final class Born2 extends Used {}
    static final class Born3 extends Used {}
    static final class Random0 extends Used {}
    static final class Random1 extends Used {}
    static final class Random2 extends Used {}
    static final class Random3 extends Used {}
    static final class Random4 extends Used {}
    static final class Random5 extends Used {}
    static final class Random6 extends Used {}
    static final class Random7 extends Used {}
    static final class Hot extends Used {}
    static final class Dropped extends Used {}

    static volatile boolean over;
    static volatile long sink;
    static volatile Object gone;

    static Used make(int group) {
        return switch (group) {
            case 0 -> new Group0();
            case 1 -> new Group1();
            case 2 -> new Group2();
            case 3 -> new Group3();
            case 4 -> new Group4();
            default -> new Group5();
        };
    }

    static Used makeBorn(int round) {
        return switch (round) {
            case 0 -> new Born0();
            case 1 -> new Born1();
            case 2 -> new Born2();
            default -> new Born3();
        };
    }

    static Used makeRandom(int group) {
        return switch (group) {
            case 0 -> new Random0();
            case 1 -> new Random1();
            case 2 -> new Random2();
            case 3 -> new Random3();
            case 4 -> new Random4();
            case 5 -> new Random5();
            case 6 -> new Random6();
            default -> new Random7();
        };
    }

    static Object makeCold(int round) {
        return switch (round) {
            case 0 -> new Cold0();
            case 1 -> new Cold1();
            case 2 -> new Cold2();
            case 3 -> new Cold3();
            case 4 -> new Cold4();
            default -> new Cold5();
        };
    }

    static int[] makeMedium() {
        return new int[60_000];
    }

    static int[] makeLarge() {
        return new int[1_500_000];
    }

    static long now() {
        java.time.Instant now = java.time.Instant.now();
        return now.getEpochSecond() * 1_000_000 + now.getNano() / 1000;
    }

    public static void main(String[] arguments) throws InterruptedException {
        int count = Integer.parseInt(arguments[0]);
        int pause = Integer.parseInt(arguments[1]);
        int threads = Integer.parseInt(arguments[2]);
        int kept = Integer.parseInt(arguments[3]);
        boolean asks = arguments.length > 4;
        Used[][] groups = new Used[ROUNDS][count];
        List<Object> cold = new ArrayList<>();
        Hot[] hot = new Hot[count];
        for (int i = 0; i < count; i++) {
            for (int group = 0; group < ROUNDS; group++) {
                if (group != 3) {
                    groups[group][i] = make(group);
                }
                gone = new byte[64];
            }
            hot[i] = new Hot();
        }
        for (int i = 0; i < count; i++) {
            groups[3][i] = make(3);
        }
        int[] medium = makeMedium();
        int[] large = makeLarge();
        List<Thread> all = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            int seed = i;
            all.add(new Thread(() -> churn(seed, kept)));
        }
        all.add(new Thread(() -> {
            while (!over) {
                for (Hot one : hot) {
                    sink += one.use();
                }
            }
        }));
        all.add(new Thread(() -> useAtRandom(count)));
        all.forEach(Thread::start);
        Used[][] born = new Used[ROUNDS][count];
        for (int round = 0; round < ROUNDS; round++) {
            long start = now();
            for (int group = round; group < ROUNDS; group++) {
                long from = now();
                for (Used used : groups[group]) {
                    sink += used.use();
                }
                if (group == round) {
                    System.out.println("last Group" + group + " " + from + " " + now());
                }
            }
            for (int made = Math.max(0, round - 2); made < Math.min(round, 4); made++) {
                long from = now();
                for (Used used : born[made]) {
                    sink += used.use();
                }
                if (made == round - 2) {
                    System.out.println("last Born" + made + " " + from + " " + now());
                }
            }
            if (round < 2) {
                long from = now();
                sink += medium[7] + large[9];
                if (round == 1) {
                    System.out.println("last makeMedium " + start + " " + now());
                    System.out.println("last makeLarge " + from + " " + now());
                }
            }
            start = now();
            for (int i = 0; i < count; i++) {
                cold.add(makeCold(round));
                Dropped dropped = new Dropped();
                sink += dropped.use();
                if (round < 4) {
                    born[round][i] = makeBorn(round);
                }
            }
            System.out.println("made Cold" + round + " " + start + " " + now());
            TimeUnit.MILLISECONDS.sleep(pause);
            if (asks) {
                System.gc();
            }
        }
        if (asks) {
            System.gc();
        } else {
            TimeUnit.MILLISECONDS.sleep(pause);
            awaitCollections(3);
        }
        over = true;
        for (Thread thread : all) {
            thread.join();
        }
        System.out.println("over " + now());
        Reference.reachabilityFence(groups);
        Reference.reachabilityFence(cold);
        Reference.reachabilityFence(born);
        Reference.reachabilityFence(medium);
        Reference.reachabilityFence(large);
    }

    /** On a busy machine a cycle takes longer than a round: so many end after the last use, or ten seconds. */
    private static void awaitCollections(int more) throws InterruptedException {
        long wanted = collections() + more;
        for (int i = 0; i < 1000 && collections() < wanted; i++) {
            TimeUnit.MILLISECONDS.sleep(10);
        }
    }

    private static long collections() {
        return ManagementFactory.getGarbageCollectorMXBeans().stream().filter(bean -> bean.getName().contains("Cycles"))
                .mapToLong(GarbageCollectorMXBean::getCollectionCount).sum();
    }

    /** Uses groups at random times, each until a random one. */
    static void useAtRandom(int count) {
        Random random = new Random(7);
        Used[][] groups = new Used[8][count];
        int[] left = new int[groups.length];
        for (int group = 0; group < groups.length; group++) {
            long from = now();
            left[group] = random.nextInt(1 << group + 2);
            for (int i = 0; i < count; i++) {
                groups[group][i] = makeRandom(group);
                gone = new byte[32];
            }
            System.out.println("used Random" + group + " " + from + " " + now());
        }
        while (!over) {
            int group = random.nextInt(groups.length);
            if (left[group]-- > 0) {
                long from = now();
                for (Used used : groups[group]) {
                    sink += used.use();
                }
                System.out.println("used Random" + group + " " + from + " " + now());
            }
            try {
                TimeUnit.MILLISECONDS.sleep(random.nextInt(20));
            } catch (InterruptedException interrupted) {
                return;
            }
        }
        randomGroups = groups;
    }

    static volatile Object randomGroups;

    /** Allocates, keeps some for a while, uses what it drops. */
    static void churn(int seed, int kept) {
        Random random = new Random(seed);
        Used[] ring = new Used[kept];
        while (!over) {
            int at = random.nextInt(kept);
            Used old = ring[at];
            ring[at] = new Dropped();
            if (old != null) {
                sink += old.use();
            }
            gone = new byte[random.nextInt(900)];
            if (random.nextInt(4000) == 0) {
                gone = new byte[400_000];
            }
        }
    }
}
