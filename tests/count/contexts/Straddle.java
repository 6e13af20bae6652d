import io.ducktrack.allocations.Allocations;
import io.ducktrack.allocations.Context;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/**
 * Methods that make objects before, in and after a context that they open themselves by the API, in the shapes that code has; and work that is handed to other threads.
 *
 * <pre>
 * usage: Straddle N
 * EXPECT kind context method objects      "-" is outside of contexts of the kind
 * </pre>
 */
public class Straddle {
    static Object s;

    static final class Before {}

    static final class In {}

    static final class After {}

    // All three on one path.
    static void straight() {
        s = new Before();
        Context context = Allocations.context("checkout");
        s = new In();
        context.close();
        s = new After();
    }

    static void resource(int i) {
        s = new Before();
        try (Context context = Allocations.context("checkout")) {
            s = new In();
            if ((i & 1) == 0) {
                s = new In();
            }
        }
        s = new After();
    }

    static void thrown(int i) {
        s = new Before();
        try (Context context = Allocations.context("checkout")) {
            s = new In();
            if ((i & 3) == 0) {
                throw new IllegalStateException();
            }
            s = new In();
        } catch (IllegalStateException fault) {
            s = new After();
        }
        s = new After();
    }

    static void loopInside() {
        s = new Before();
        try (Context context = Allocations.context("checkout")) {
            for (int i = 0; i < 5; i++) {
                s = new In();
            }
        }
        s = new After();
    }

    static void loopAround(int n) {
        for (int i = 0; i < n; i++) {
            s = new Before();
            try (Context context = Allocations.context("checkout")) {
                s = new In();
            }
            s = new After();
        }
    }

    static void nested() {
        s = new Before();
        try (Context checkout = Allocations.context("checkout"); Context tenant = Allocations.context("tenant", "acme")) {
            s = new In();
            try (Context payment = Allocations.context("payment")) {
                s = new In();
                s = new In();
            }
        }
        s = new After();
    }

    /** Closings that do nothing. */
    static void closedTwice() throws Exception {
        Context context = Allocations.context("checkout");
        closeElsewhere(context);
        s = new In();
        context.close();
        context.close();
        s = new After();
    }

    static void closeElsewhere(Context context) throws Exception {
        Thread other = new Thread(context::close);
        other.start();
        other.join();
    }

    // Work of a request on other threads.

    static int carried() {
        s = new In();
        s = new In();
        return 2;
    }

    static int notCarried() {
        s = new After();
        return 1;
    }

    static void handOver(ExecutorService service) throws Exception {
        ExecutorService carrying = Context.carrying(service);
        try (Context context = Allocations.context("checkout")) {
            carrying.submit((Callable<Integer>) Straddle::carried).get();
            carrying.execute(Straddle::carried);
            service.submit((Callable<Integer>) Straddle::notCarried).get();
            Context.carrying((Callable<Integer>) Straddle::carried).call();
        }
        carrying.submit((Callable<Integer>) Straddle::notCarried).get();
    }

    public static void main(String[] args) throws Exception {
        int n = Integer.parseInt(args[0]);
        for (int i = 0; i < n; i++) {
            straight();
            resource(i);
            thrown(i);
            loopInside();
            nested();
        }
        loopAround(n);
        int few = 1 + n / 1000;
        ExecutorService service = Executors.newFixedThreadPool(2);
        for (int i = 0; i < few; i++) {
            closedTwice();
            handOver(service);
        }
        service.shutdown();
        service.awaitTermination(1, TimeUnit.MINUTES);
        long half = (n + 1) / 2;
        long quarter = (n + 3) / 4;
        line("checkout", "straight", n, 2L * n);
        line("checkout", "resource", n + half, 2L * n);
        line("checkout", "thrown", n + quarter + (n - quarter), 2L * n + quarter);
        line("checkout", "loopInside", 5L * n, 2L * n);
        line("checkout", "loopAround", n, 2L * n);
        line("checkout", "nested", n, 2L * n);
        expect("own", "payment", "nested", 2L * n);
        expect("tenant", "acme", "nested", 3L * n);
        line("checkout", "closedTwice", few, few);
        line("checkout", "carried", 6L * few, 0);
        line("checkout", "notCarried", 0, 2L * few);
        System.out.println("EXECUTED\tcheckout\t" + (5L * n + n + 2L * few));
    }

    static void line(String context, String method, long inside, long outside) {
        expect("own", context, method, inside);
        expect("own", "-", method, outside);
    }

    static void expect(String kind, String context, String method, long objects) {
        System.out.println("EXPECT\t" + kind + "\t" + context + "\t" + method + "\t" + objects);
    }
}
