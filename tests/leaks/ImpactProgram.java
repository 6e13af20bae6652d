import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * A program with a leak that costs time of collections, a small idle table that costs none, and objects that are used again after a long time. All of it
 * is held by pairs of types that a trial can name.
 */
public final class ImpactProgram {
    private static final int STEPS = Integer.getInteger("steps", 12000);
    /** Steps that leak: the first, so that what they leave is there for most of the run. */
    private static final int LEAKING = STEPS / 5;
    private static final int IDLE = 200;
    private static final int RARE = 50;
    private static final int WINDOW = 4000;

    /** What leaks: a small tree, so that to mark it is work. */
    private static final class Leaf {
        final Leaf left;
        final Leaf right;

        Leaf(int depth) {
            left = depth == 0 ? null : new Leaf(depth - 1);
            right = depth == 0 ? null : new Leaf(depth - 1);
        }
    }

    private static final class Node {
        final Node next;
        Leaf leaf;

        Node(Node next, Leaf leaf) {
            this.next = next;
            this.leaf = leaf;
        }
    }

    private static final class Idle {
        int number;
    }

    private static final class Table {
        final Idle[] rows = new Idle[IDLE];
    }

    private static final class Rare {
        int used;
    }

    private static final class Slot {
        Rare rare;
    }

    private static Node leaked;
    private static final Table TABLE = new Table();
    private static final List<Slot> SLOTS = new ArrayList<>();
    private static final List<Rare> BY_OTHER_PATH = new ArrayList<>();
    /** Objects that live for a while: they come into the old space and die there. */
    private static final ArrayDeque<byte[]> MEDIUM = new ArrayDeque<>();
    private static byte[] lost;

    private ImpactProgram() {}

    private static void fill() {
        for (int at = 0; at < IDLE; at++) {
            TABLE.rows[at] = new Idle();
        }
        for (int at = 0; at < RARE; at++) {
            Slot slot = new Slot();
            slot.rare = new Rare();
            SLOTS.add(slot);
            BY_OTHER_PATH.add(slot.rare);
        }
    }

    private static void step() {
        for (int count = 0; count < 40; count++) {
            MEDIUM.add(new byte[2000]);
            if (MEDIUM.size() > WINDOW) {
                MEDIUM.remove();
            }
            lost = new byte[2000];
        }
    }

    /** Half by one path, half by the other. */
    private static void useRare() {
        for (int at = 0; at < RARE; at++) {
            if (at % 2 == 0) {
                BY_OTHER_PATH.get(at).used++;
                continue;
            }
            try {
                SLOTS.get(at).rare.used++;
            } catch (NullPointerException removed) {
                lost = new byte[1];
            }
        }
    }

    /** Takes no words. */
    public static void main(String[] words) {
        fill();
        for (int number = 0; number < STEPS; number++) {
            if (number < LEAKING) {
                leaked = new Node(leaked, new Leaf(6));
                leaked = new Node(leaked, new Leaf(6));
            }
            step();
            if (number > STEPS * 3 / 4) {
                useRare();
            }
        }
        System.out.println("done " + STEPS);
    }
}
