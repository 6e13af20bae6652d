/**
 * Objects whose last use and death are known. The program goes in steps, each of which begins with a new {@link Step} and makes garbage. Of each kind there are ROUNDS
 * objects: the object number r is made in step r, used last (by the program's own code) in step r + {@code USED}, and reachable until step r + {@code DEAD}.
 *
 * <p>It is not among the known programs of the harness: those tell how many objects each line makes, in a form that says nothing of when objects die.
 *
 * <p>{@code -Dfull=N}: a full collection after every N steps. {@code -Drepeated=N}: how often a use is repeated, so that it is compiled where the VM compiles.
 */
final class Deaths {
    static final int ROUNDS = 8;
    static final int STEPS = 20;
    static final int REPEATED = Integer.getInteger("repeated", 3000);
    static final int FULL = Integer.getInteger("full", 0);

    static final class Step {
        final int number;
        Step(int number) { this.number = number; }
    }

    static Step step;
    static Object sink;
    static long sum;

    /** Held by an element of an array; used until 2 steps later, and overwritten 4 steps later. */
    static final class Entry { int value; }
    static final Entry[] CACHE = new Entry[ROUNDS];

    /** A list that is dropped 3 steps later, and never used again. */
    static final class Link { Link next; }
    static final Object[] LISTS = new Object[ROUNDS];
    static Link list;

    /** Only another object holds it, which is dropped 5 steps later. */
    static final class Inner { int value; }
    static final class Outer {
        final Inner inner;
        Outer(Inner inner) { this.inner = inner; }
    }
    static final Outer[] OUTERS = new Outer[ROUNDS];

    /** A field of {@code this} holds it, and is overwritten 3 steps later. */
    static final class Part { int value; }
    static final class Owner {
        Part part;
        void take(Part part) { this.part = part; }
    }
    static final Owner[] OWNERS = new Owner[ROUNDS];

    /** Made by {@link Runner#run} after that has used its object last: by then the runner is dead. */
    static final class Later { int value; }

    /** It dies inside of its own method. */
    static final class Runner {
        int value;
        static int running = -1;
        void run() {
            value++;
            sink = new Later();
            running = 2;
        }
    }

    /** It is thrown, looked at by who catches it, and dies. */
    static final class Trouble extends RuntimeException {
        Trouble() { super(null, null, false, false); }
    }
    /** Only a frame held it that an exception ended. */
    static final class Local { int value; }

    /** It is never used after it was made, and never held. */
    static final class Forgotten { int value = 3; }

    /** A static field holds it for one step. */
    static final class Current { int value; }
    static Current current;

    /** It dies with the array of numbers that it holds. */
    static final class Table { final long[] numbers = new long[4]; }
    static final Table[] TABLES = new Table[ROUNDS];

    public static void main(String[] arguments) {
        for (int number = 0; number < STEPS; number++) {
            step = new Step(number);
            if (number < ROUNDS) {
                make(number);
            }
            use(number);
            drop(number);
            garbage();
            if (FULL > 0 && number % FULL == FULL - 1) {
                System.gc();
            }
        }
        // What died is found dead.
        System.gc();
        System.out.println(sum);
    }

    static void make(int round) {
        CACHE[round] = new Entry();
        list = null;
        for (int i = 0; i < 5; i++) {
            Link link = new Link();
            link.next = list;
            list = link;
        }
        LISTS[round] = list;
        OUTERS[round] = new Outer(new Inner());
        OWNERS[round] = new Owner();
        OWNERS[round].take(new Part());
        run(new Runner());
        current = new Current();
        fail();
        new Forgotten();
        TABLES[round] = new Table();
    }

    static void run(Runner runner) { runner.run(); }

    static void fail() {
        try {
            troubled(new Local());
        } catch (Trouble trouble) {
            sum += trouble.getSuppressed().length;
        }
    }

    static void troubled(Local local) {
        local.value = 4;
        throw new Trouble();
    }

    static void use(int number) {
        for (int i = 0; i < REPEATED; i++) {
            for (int ago = 0; ago <= 2; ago++) {
                int round = number - ago;
                if (round >= 0 && round < ROUNDS) {
                    CACHE[round].value++;
                    sum += TABLES[round].numbers[ago]++;
                }
            }
        }
    }

    static void drop(int number) {
        for (int round = 0; round < ROUNDS; round++) {
            int age = number - round;
            if (age == 3) {
                LISTS[round] = null;
                OWNERS[round].take(null);
            }
            if (age == 4) {
                CACHE[round] = null;
                TABLES[round] = null;
            }
            if (age == 5) {
                OUTERS[round] = null;
            }
        }
        // The list of the last round is held by this field, too.
        if (number == ROUNDS + 2) {
            list = null;
        }
    }

    static void garbage() {
        for (int i = 0; i < 5000; i++) {
            sink = new byte[64];
        }
    }
}
