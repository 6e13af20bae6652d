import io.ducktrack.allocations.Body;
import io.ducktrack.allocations.Holder;
import io.ducktrack.allocations.Scope;
import io.ducktrack.allocations.SurvivorGroup;
import io.ducktrack.allocations.Survivors;
import java.lang.ref.SoftReference;
import java.lang.ref.WeakReference;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Pieces of a program that leave known objects behind, and pieces that leave none. */
public class Staying {
    static class Marker {
        long content;
    }

    static class Link {
        final Link next;

        Link(Link next) {
            this.next = next;
        }
    }

    interface Constants {
        Object ONE = new Object();
        Object TWO = new Object();
    }

    interface MoreConstants extends Constants {
        Object THREE = new Object();
    }

    static class Base implements MoreConstants {
        static Object shared = new Object();
        Object first;
        int number;
    }

    static class Box extends Base implements Constants {
        static Object also = new Object();
        Object second;
        List<Object> kept = new ArrayList<>();
    }

    static class Holders extends Base {
        static final Map<Object, Marker> BY_KEY = new HashMap<>();
        static final Object[] ELEMENTS = new Object[100];
        static Object slot;
    }

    static final int REPEAT = 20;
    static final List<Object> SOFT = new ArrayList<>();
    static final ArrayDeque<Marker> LAST_FOUR = new ArrayDeque<>();
    static final ThreadLocal<List<Object>> LOCAL = ThreadLocal.withInitial(ArrayList::new);
    static final Box BOX = new Box();
    static final List<Object> OF_OTHERS = new ArrayList<>();
    static Link links;
    static volatile Object sink;
    static int position;
    static final List<String> FAULTS = new ArrayList<>();

    static synchronized void expect(String what, Object expected, Object found) {
        if (!expected.equals(found) && FAULTS.size() < 20) {
            FAULTS.add(what + ": expected " + expected + ", found " + found);
        }
    }

    static Marker mark() {
        return new Marker();
    }

    /** The one leak: its type, how many objects, the method that made them, and the nearest reference that is not of the JDK. */
    static void leaks(String what, Body body, String type, long objects, String method, String holder) throws Throwable {
        Survivors found = Survivors.of(body, REPEAT);
        List<SurvivorGroup> leaks = found.leaks();
        expect(what + ", leaks", 1, leaks.size());
        for (SurvivorGroup leak : leaks) {
            expect(what + ", type", type, leak.type());
            expect(what + ", objects", objects, leak.objects());
            expect(what + ", repetitions", REPEAT, leak.repetitions());
            expect(what + ", made by", method, leak.calls().stream().map(call -> call.method()).filter(call -> !call.equals("<init>")).findFirst().orElse(""));
            expect(what + ", held by " + leak.holders(), true, leak.holders().stream().map(Holder::toString).anyMatch(holder::equals));
        }
    }

    static void linked() {
        links = new Link(links);
    }

    static void none(String what, Body body) throws Throwable {
        Survivors found = Survivors.of(body, REPEAT);
        expect(what + ", leaks", 0, found.leaks().size());
    }

    public static void main(String[] arguments) throws Throwable {
        leaks("an entry of an array", () -> Holders.ELEMENTS[position++] = mark(), "Staying$Marker", REPEAT, "mark", "static Staying$Holders.ELEMENTS");
        map();
        leaks("a thread's own list", () -> LOCAL.get().add(mark()), "Staying$Marker", REPEAT, "mark", "a running thread (java.lang.Thread)");
        leaks("links", Staying::linked, "Staying$Link", REPEAT, "linked", "static Staying.links");
        leaks("a field", () -> BOX.kept.add(mark()), "Staying$Marker", REPEAT, "mark", "Staying$Box.kept");
        none("nothing", () -> sink = null);
        none("garbage", () -> sink = mark());
        none("a slot", () -> Holders.slot = new Object[] {mark(), mark()});
        none("the last four", () -> {
            LAST_FOUR.add(mark());
            if (LAST_FOUR.size() > 4) {
                LAST_FOUR.remove();
            }
        });
        weak();
        many();
        beside();
        if (Runtime.version().feature() >= 21) {
            virtual();
        }
        FAULTS.forEach(System.out::println);
        System.out.println(FAULTS.isEmpty() ? "EXACT" : "WRONG");
    }

    /** Objects that stay only because of another object are filed with that one. */
    static void map() throws Throwable {
        Survivors found = Survivors.of(() -> Holders.BY_KEY.put(new Object(), mark()), REPEAT);
        List<SurvivorGroup> leaks = found.leaks();
        expect("a map, leaks", 1, leaks.size());
        expect("a map, type", "java.util.HashMap$Node", leaks.get(0).type());
        expect("a map, with it", 2, leaks.get(0).withIt().size());
        expect("a map, markers", (long) REPEAT, found.of(Marker.class));
        expect("a map, keys", (long) REPEAT, found.of(Object.class));
    }

    static void weak() throws Throwable {
        Survivors found = Survivors.of(() -> {
            SOFT.add(new SoftReference<>(mark()));
            SOFT.add(new WeakReference<>(mark()));
        }, REPEAT);
        expect("only softly or weakly reachable", 0L, found.of(Marker.class));
        expect("soft references", (long) REPEAT, found.of(SoftReference.class));
        expect("weak references", (long) REPEAT, found.of(WeakReference.class));
    }

    /** Compiled code, and more objects than an allocation buffer has room for. */
    static void many() throws Throwable {
        Survivors found = Survivors.of(() -> {
            for (int number = 0; number < 20_000; number++) {
                Marker marker = mark();
                sink = marker;
                if (number % 500 == 3) {
                    OF_OTHERS.add(marker);
                }
            }
            sink = null;
        }, 10);
        expect("of many", 400L, found.of(Marker.class));
    }

    /** Objects that other threads leave behind are not the piece's, unless it asks for all. */
    static void beside() throws Throwable {
        boolean[] ends = {false};
        Thread other = new Thread(() -> {
            while (!ends[0]) {
                synchronized (OF_OTHERS) {
                    OF_OTHERS.add(mark());
                }
                Thread.yield();
            }
        });
        other.start();
        expect("beside another thread", 0L, Survivors.of(() -> sink = mark(), REPEAT).of(Marker.class) - 1);
        ends[0] = true;
        other.join();
        Body starts = () -> {
            Thread thread = new Thread(() -> Holders.BY_KEY.put("a key of " + System.nanoTime(), mark()));
            thread.start();
            thread.join();
        };
        expect("of own thread", 0L, Survivors.of(starts, 5).of(Marker.class));
        expect("of all threads", 5L, Survivors.of(starts, 1, 5, Scope.ALL).of(Marker.class));
    }

    /** On a virtual thread it is not known, and that is the answer. */
    static void virtual() throws Throwable {
        String[] answer = {""};
        Thread thread = (Thread) Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, (Runnable) () -> {
            try {
                Survivors.of(() -> OF_OTHERS.add(mark()), REPEAT);
            } catch (IllegalStateException unknown) {
                answer[0] = unknown.getMessage();
            }
        });
        thread.join();
        expect("of a virtual thread", true, answer[0].contains("virtual thread"));
    }
}
