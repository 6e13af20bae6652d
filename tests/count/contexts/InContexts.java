import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.LockSupport;

/**
 * Known work in 20 contexts of one kind and 3 of another: nested, in themselves, left by exceptions, on platform or virtual threads.
 *
 * <pre>
 * usage: InContexts platform|virtual THREADS ROUNDS SWITCHES
 * EXPECT kind context method objects      "-" is outside of contexts of the kind
 * </pre>
 */
public class InContexts {
    static final int CONTEXTS = 20;
    /** The context that is called like its method. */
    static final int METHOD = CONTEXTS + 1;
    static final int QUERIES = 3;
    static final String[] SITES = {"box", "bytes", "boxed", "grid", "fail", "text", "lambda", "straight", "looped"};
    /** By context, query and site; 0 is outside. */
    static final AtomicLongArray EXPECTED = new AtomicLongArray((METHOD + 1) * (QUERIES + 1) * SITES.length);
    static final String[] NAMES = names("ctx-", CONTEXTS);
    static final String[] STATEMENTS = names("select ", QUERIES);
    static boolean parks;

    static final class Box {
        final int value;

        Box(int value) {
            this.value = value;
        }
    }

    static final class Fail extends RuntimeException {
        Fail() {
            super(null, null, false, false);
        }
    }

    interface Body {
        int run();
    }

    /** What the thread has made, and where it is. */
    static final class Ledger {
        final long[] made = new long[EXPECTED.length()];
        int context;
        int query;

        void add(int site, int objects) {
            made[(context * (QUERIES + 1) + query) * SITES.length + site] += objects;
        }
    }

    static String[] names(String prefix, int number) {
        String[] names = new String[number + 1];
        for (int i = 1; i <= number; i++) {
            names[i] = prefix + (char) ('a' + i - 1);
        }
        return names;
    }

    // The contexts.

    static int in(String name, Body body) {
        return body.run();
    }

    static int query(Object statement, Body body) {
        return body.run();
    }

    /** A context of its own, whose method makes objects itself, on several paths, and may end by an exception. */
    static int straight(Ledger ledger, int round) {
        int outer = ledger.context;
        ledger.context = METHOD;
        ledger.add(7, 1);
        int sum = new Box(round).value & 1;
        if ((round & 1) == 0) {
            ledger.add(7, 1);
            sum += new Box(round).hashCode() & 1;
        }
        for (int i = 0; i < (round & 3); i++) {
            ledger.add(7, 1);
            sum += new Box(i).hashCode() & 1;
            if (round % 13 == 5) {
                ledger.add(4, 1);
                ledger.context = outer;
                throw fail();
            }
        }
        ledger.context = outer;
        return sum;
    }

    /** Calls a context in a loop, and makes objects itself before, between and after. */
    static int looped(Ledger ledger, int round) {
        int sum = 0;
        for (int i = 0; i < 3; i++) {
            ledger.add(8, 1);
            sum += new Box(i).hashCode() & 1;
            try {
                sum += straight(ledger, round + i);
            } catch (Fail fail) {
                ledger.add(8, 1);
                sum += new Box(i).hashCode() & 1;
            }
        }
        ledger.add(8, 1);
        return sum + (new Box(round).hashCode() & 1);
    }

    // One site each.

    static Object box(int i) {
        return new Box(i);
    }

    static Object bytes(int i) {
        return new byte[i & 63];
    }

    static Object boxed(int i) {
        return Integer.valueOf(1000 + i);
    }

    static Object grid(int i) {
        return new int[2][3];
    }

    static Fail fail() {
        return new Fail();
    }

    static Object text(String s, int i) {
        return s.substring(i & 3);
    }

    static Body lambda(int i) {
        return () -> i;
    }

    static int work(Ledger ledger, int n) {
        int sum = 0;
        for (int i = 0; i < n; i++) {
            ledger.add(0, 1);
            sum += box(i).hashCode() & 1;
            if ((i & 1) == 0) {
                ledger.add(1, 1);
                sum += ((byte[]) bytes(i)).length;
            }
            if (i % 3 == 0) {
                ledger.add(2, 1);
                sum += (Integer) boxed(i);
            }
            if (i % 5 == 0) {
                ledger.add(3, 3);
                sum += ((int[][]) grid(i)).length;
            }
            if (i % 4 == 0) {
                ledger.add(5, 2);
                sum += ((String) text("abcdefgh", 1 + (i & 1))).length();
            }
            if (i % 6 == 0) {
                ledger.add(6, 1);
                sum += lambda(i).run();
            }
        }
        return sum;
    }

    static void pause(int round) {
        if (parks && round % 7 == 0) {
            LockSupport.parkNanos(1000);
        }
        if (parks && round % 11 == 0) {
            Thread.yield();
        }
    }

    static int inContext(Ledger ledger, int context, Body body) {
        int outer = ledger.context;
        ledger.context = context;
        try {
            return in(NAMES[context], body);
        } finally {
            ledger.context = outer;
        }
    }

    static int inQuery(Ledger ledger, int query, Body body) {
        int outer = ledger.query;
        ledger.query = query;
        try {
            return query(STATEMENTS[query], body);
        } finally {
            ledger.query = outer;
        }
    }

    static int once(Ledger ledger, int context, int round) {
        int sum = 0;
        try {
            sum += inContext(ledger, context, () -> inside(ledger, context, round));
        } catch (Fail fail) {
            sum += work(ledger, 1);
        }
        sum += looped(ledger, round);
        return sum + work(ledger, 1);
    }

    static int inside(Ledger ledger, int context, int round) {
        int sum = work(ledger, 1 + (context & 7));
        pause(round);
        if (round % 4 == 0) {
            int other = 1 + (context + round) % CONTEXTS;
            sum += inContext(ledger, other, () -> nested(ledger, context, round));
            sum += work(ledger, 1);
        }
        if (round % 3 == 0) {
            int statement = 1 + round / 3 % QUERIES;
            sum += inQuery(ledger, statement, () -> {
                pause(round + 2);
                return work(ledger, 3) + (round % 6 == 0 ? inContext(ledger, context, () -> work(ledger, 1)) : 0);
            });
        }
        if (round % 16 == 3) {
            ledger.add(4, 1);
            throw fail();
        }
        return sum;
    }

    static int nested(Ledger ledger, int context, int round) {
        int sum = work(ledger, 2);
        pause(round + 1);
        if (round % 8 == 0) {
            // The first context again, inside of the other one.
            sum += inContext(ledger, context, () -> work(ledger, 1));
        }
        if (round % 32 == 4) {
            ledger.add(4, 1);
            throw fail();
        }
        return sum;
    }

    static void run(int thread, int rounds, int switches) {
        Ledger ledger = new Ledger();
        int sum = 0;
        for (int round = 0; round < rounds; round++) {
            sum += once(ledger, 1 + (thread + round) % CONTEXTS, round);
        }
        for (int i = 0; i < switches; i++) {
            int round = i;
            sum += inContext(ledger, 1 + (i & 3), () -> {
                ledger.add(0, 1);
                return box(round).hashCode() & 1;
            });
        }
        if (sum == 42) {
            System.out.println(sum);
        }
        for (int i = 0; i < ledger.made.length; i++) {
            EXPECTED.addAndGet(i, ledger.made[i]);
        }
    }

    public static void main(String[] args) throws Exception {
        boolean virtual = args[0].equals("virtual");
        parks = virtual;
        int threads = Integer.parseInt(args[1]);
        int rounds = Integer.parseInt(args[2]);
        int switches = Integer.parseInt(args[3]);
        List<Thread> all = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            int thread = i;
            Runnable body = () -> run(thread, rounds, switches);
            if (virtual) {
                all.add((Thread) Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, body));
            } else {
                all.add(new Thread(body, "worker-" + i));
            }
        }
        for (Thread thread : all) {
            if (!virtual) {
                thread.start();
            }
        }
        for (Thread thread : all) {
            thread.join();
        }
        StringBuilder out = new StringBuilder();
        for (int site = 0; site < SITES.length; site++) {
            for (int context = 0; context <= METHOD; context++) {
                long objects = 0;
                for (int query = 0; query <= QUERIES; query++) {
                    objects += expected(context, query, site);
                }
                String name = context == 0 ? "-" : context == METHOD ? "InContexts.straight" : NAMES[context];
                line(out, "ctx", name, site, objects);
            }
            for (int query = 0; query <= QUERIES; query++) {
                long objects = 0;
                for (int context = 0; context <= METHOD; context++) {
                    objects += expected(context, query, site);
                }
                line(out, "sql", query == 0 ? "-" : STATEMENTS[query], site, objects);
            }
        }
        System.out.print(out);
    }

    static long expected(int context, int query, int site) {
        return EXPECTED.get((context * (QUERIES + 1) + query) * SITES.length + site);
    }

    static void line(StringBuilder out, String kind, String name, int site, long objects) {
        out.append("EXPECT\t").append(kind).append('\t').append(name).append('\t').append(SITES[site]).append('\t').append(objects).append('\n');
    }
}
