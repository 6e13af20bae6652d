import io.ducktrack.allocations.Allocations;
import io.ducktrack.allocations.Body;
import io.ducktrack.allocations.Scope;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Pieces of a program with known allocations, measured from inside: cold, warm, beside each other, inside each other, on virtual threads. */
public class Measured {
    static class Marker {
        Object field;
    }

    static volatile Object sink;
    static final List<String> FAULTS = new ArrayList<>();

    static synchronized void expect(String what, Object expected, Object found) {
        if (!expected.equals(found) && FAULTS.size() < 20) {
            FAULTS.add(what + ": expected " + expected + ", found " + found);
        }
    }

    /** Paths with different allocations: of 6 numbers in a row, 3 + 2 + 1 markers, and one array. */
    static void paths(int number) {
        if (number % 6 < 3) {
            sink = new Marker();
        } else if (number % 6 < 5) {
            Marker marker = new Marker();
            if (number % 6 == 4) {
                sink = new int[number % 7];
            }
            sink = marker;
        } else {
            try {
                thrown(number);
            } catch (IllegalStateException caught) {
                sink = new Marker();
            }
        }
    }

    static final IllegalStateException READY_MADE = new IllegalStateException();

    static void thrown(int number) {
        if (number < 0) {
            sink = new Marker();
        }
        throw READY_MADE;
    }

    static void rounds(int rounds) {
        for (int number = 0; number < 6 * rounds; number++) {
            paths(number);
        }
    }

    static void library() {
        StringBuilder text = new StringBuilder();
        List<Integer> numbers = new ArrayList<>();
        for (int i = 0; i < 300; i += 7) {
            numbers.add(i);
            text.append(i).append(',');
        }
        sink = text.toString() + numbers;
        try {
            sink = numbers.get(numbers.size());
        } catch (IndexOutOfBoundsException caught) {
            sink = caught.getMessage();
        }
        Runnable captured = () -> sink = text;
        captured.run();
        sink = numbers.iterator();
    }

    static void check(String what, Allocations found, int rounds) {
        expect(what + ", markers", 6L * rounds, found.of(Marker.class));
        expect(what + ", arrays", 1L * rounds, found.of(int[].class));
        expect(what + ", objects", 7L * rounds, found.objects());
    }

    /** By type and line: which library methods have callers changes while the program runs, for some. */
    static String withoutCallers(Allocations found) {
        Map<String, Long> lines = new TreeMap<>();
        found.sites().forEach(site -> lines.merge(site.type() + " at " + site.place(), site.objects(), Long::sum));
        return lines.toString();
    }

    public static void main(String[] arguments) throws Throwable {
        int repeat = Integer.parseInt(arguments[0]);
        // To load a class runs code of its loader.
        sink = new Marker();
        check("cold", Allocations.of(() -> rounds(50), 0, Scope.THREAD), 50);
        expect("nothing", 0L, Allocations.of(() -> {}).objects());
        String library = withoutCallers(Allocations.of(Measured::library));
        for (int run = 0; run < repeat; run++) {
            check("run " + run, Allocations.of(() -> rounds(100), 0, Scope.THREAD), 100);
            expect("library, run " + run, library, withoutCallers(Allocations.of(Measured::library, 0, Scope.THREAD)));
            expect("nothing, run " + run, 0L, Allocations.of(() -> {}, 0, Scope.THREAD).objects());
        }
        hot();
        nested();
        thrown();
        beside(repeat);
        allThreads();
        if (Runtime.version().feature() >= 21) {
            virtual(repeat);
        }
        FAULTS.forEach(System.out::println);
        Allocations last = Allocations.of(Measured::library, 0, Scope.THREAD);
        System.out.println(FAULTS.isEmpty() ? "EXACT " + last.layout() + ", a hundred rounds 700 objects, the library's code " + last : "WRONG");
    }

    /** Long enough that methods are compiled and rewritten in the middle of it. */
    static void hot() {
        long end = System.nanoTime() + 1_500_000_000L;
        int[] done = {0};
        Body body = () -> {
            do {
                rounds(1000);
                done[0] += 1000;
            } while (System.nanoTime() < end);
        };
        check("hot", Allocations.of(body, 0, Scope.THREAD), done[0]);
    }

    static void nested() {
        Allocations[] inner = new Allocations[1];
        Allocations outer = Allocations.of(() -> {
            rounds(2);
            inner[0] = Allocations.of(INNER);
            rounds(4);
        });
        check("inner", inner[0], 3);
        check("outer", outer, 9);
    }

    static final Body INNER = () -> rounds(3);

    /** A piece that throws ends its measurement. */
    static void thrown() {
        check("around a throw", Allocations.of(() -> {
            try {
                Allocations.of(THROWING, 0, Scope.THREAD);
            } catch (IllegalStateException caught) {
                rounds(1);
            }
        }), 6);
    }

    static final Body THROWING = () -> {
        rounds(5);
        throw READY_MADE;
    };

    static void beside(int repeat) throws InterruptedException {
        Thread[] threads = new Thread[4];
        for (int number = 0; number < threads.length; number++) {
            int rounds = 10 + number;
            threads[number] = new Thread(() -> {
                for (int run = 0; run < repeat; run++) {
                    check("beside others, " + rounds, Allocations.of(() -> rounds(rounds), 0, Scope.THREAD), rounds);
                }
            });
            threads[number].start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
    }

    static void allThreads() {
        Body body = () -> {
            Thread thread = new Thread(() -> rounds(70));
            thread.start();
            thread.join();
            rounds(1);
        };
        expect("all threads", 71L * 6, Allocations.of(body, 1, Scope.ALL).of(Marker.class));
        expect("own thread", 6L, Allocations.of(body, 1, Scope.THREAD).of(Marker.class));
    }

    /** Virtual threads that wait in the middle, beside others on the same carriers that allocate as well. */
    static void virtual(int repeat) throws Exception {
        Method start = Thread.class.getMethod("startVirtualThread", Runnable.class);
        List<Thread> threads = new ArrayList<>();
        for (int number = 0; number < 20; number++) {
            int rounds = 1 + number;
            boolean measures = number % 2 == 0;
            Body body = () -> {
                for (int round = 0; round < rounds; round++) {
                    rounds(1);
                    Thread.yield();
                    if (round % 5 == 4) {
                        Thread.sleep(1);
                    }
                }
            };
            threads.add((Thread) start.invoke(null, (Runnable) () -> {
                for (int run = 0; run < repeat / 4; run++) {
                    if (measures) {
                        Allocations found = Allocations.of(body);
                        expect("virtual, markers", 6L * rounds, found.of(Marker.class));
                        expect("virtual, arrays of " + found.sites(), 1L * rounds, found.of(int[].class));
                    } else {
                        rounds(20);
                        Thread.yield();
                    }
                }
            }));
        }
        for (Thread thread : threads) {
            thread.join();
        }
    }
}
