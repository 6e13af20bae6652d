import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * More contexts than there are blocks: 50 threads, routes taken at random, a query in each; more names of one kind than there is room for.
 *
 * <pre>
 * usage: ManyContexts ROUTES THREADS ROUNDS NAMES [wait]     wait: until it is killed
 * EXPECT kind context method objects
 * EXECUTED context executions
 * </pre>
 */
public class ManyContexts {
    static final int QUERIES = 4;
    static AtomicLongArray made;
    static AtomicLongArray queried;
    static final AtomicLongArray grids = new AtomicLongArray(QUERIES);

    static final class Box {
        final Object value;

        Box(Object value) {
            this.value = value;
        }
    }

    interface Body {
        int run();
    }

    static int route(String name, Body body) {
        return body.run();
    }

    static int query(String statement, Body body) {
        return body.run();
    }

    static int named(String name, Body body) {
        return body.run();
    }

    static Object box(int i) {
        return new Box(null);
    }

    static Object boxed(int i) {
        return Integer.valueOf(1000 + i);
    }

    static Object grid(int i) {
        return new int[2][3];
    }

    static void run(int thread, String[] routes, String[] statements, int rounds) {
        long random = 88172645463325252L + thread;
        int sum = 0;
        for (int round = 0; round < rounds; round++) {
            random ^= random << 13;
            random ^= random >>> 7;
            random ^= random << 17;
            int index = (int) (random >>> 33) % routes.length;
            int statement = (int) (random >>> 20 & QUERIES - 1);
            int objects = 1 + (index & 3);
            sum += route(routes[index], () -> {
                int inside = 0;
                for (int i = 0; i < objects; i++) {
                    inside += box(i).hashCode() & 1;
                }
                inside += query(statements[statement], () -> grid(objects).hashCode() & 1);
                return inside + (boxed(objects).hashCode() & 1);
            });
            made.addAndGet(index, objects);
            queried.incrementAndGet(index);
            grids.addAndGet(statement, 3);
        }
        if (sum == 42) {
            System.out.println(sum);
        }
    }

    public static void main(String[] args) throws Exception {
        String[] routes = names("GET /route-", Integer.parseInt(args[0]));
        String[] statements = names("select ", QUERIES);
        int rounds = Integer.parseInt(args[2]);
        made = new AtomicLongArray(routes.length);
        queried = new AtomicLongArray(routes.length);
        List<Thread> all = new ArrayList<>();
        for (int i = 0; i < Integer.parseInt(args[1]); i++) {
            int thread = i;
            all.add(new Thread(() -> run(thread, routes, statements, rounds), "worker-" + i));
        }
        for (Thread thread : all) {
            thread.start();
        }
        for (Thread thread : all) {
            thread.join();
        }
        int names = Integer.parseInt(args[3]);
        for (int i = 0; i < names; i++) {
            int one = i;
            named("id-" + i, () -> box(one).hashCode());
        }
        StringBuilder out = new StringBuilder();
        for (int i = 0; i < routes.length; i++) {
            line(out, "route", routes[i], "box", made.get(i));
            line(out, "route", routes[i], "boxed", queried.get(i));
            line(out, "route", routes[i], "grid", 3 * queried.get(i));
            out.append("EXECUTED\t").append(routes[i]).append('\t').append(queried.get(i)).append('\n');
        }
        for (int i = 0; i < QUERIES; i++) {
            line(out, "query", statements[i], "grid", grids.get(i));
            line(out, "query", statements[i], "box", 0);
        }
        for (int i = 0; i < Math.min(names, 1000); i++) {
            line(out, "id", "id-" + i, "box", 1);
        }
        if (names > 1000) {
            line(out, "id", "(other)", "box", names - 1000);
        }
        System.out.print(out);
        if (args.length > 4) {
            System.out.println("WAITING");
            Thread.sleep(Long.MAX_VALUE);
        }
    }

    static String[] names(String prefix, int number) {
        String[] names = new String[number];
        for (int i = 0; i < number; i++) {
            names[i] = prefix + i;
        }
        return names;
    }

    static void line(StringBuilder out, String kind, String name, String site, long objects) {
        out.append("EXPECT\t").append(kind).append('\t').append(name).append('\t').append(site).append('\t').append(objects).append('\n');
    }
}
