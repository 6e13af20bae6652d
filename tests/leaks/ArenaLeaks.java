import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;

/** Allocates from an arena with each two megabytes that it allocates: the arena is held, dropped without being closed, or closed. */
public class ArenaLeaks {
    private static final int STEPS = 240;
    private static final List<byte[]> BASE = new ArrayList<>();
    private static final List<Object> HELD = new ArrayList<>();
    private static volatile Object sink;

    public static void main(String[] arguments) {
        for (int mb = 0; mb < 10; mb++) {
            BASE.add(new byte[1 << 20]);
        }
        for (int step = 0; step < STEPS; step++) {
            for (int at = 0; at < 2048; at++) {
                sink = new byte[1008];
            }
            switch (arguments[0]) {
                case "held" -> held();
                case "dropped" -> dropped();
                case "closed" -> closed();
                default -> automatic();
            }
            if (step % 15 == 14) {
                System.gc();
            }
        }
        System.out.println(HELD.size() + BASE.size());
    }

    private static void held() {
        Arena arena = Arena.ofShared();
        arena.allocate(100_000);
        HELD.add(arena);
    }

    /** Nothing closes it. */
    private static void dropped() {
        Arena arena = Arena.ofConfined();
        sink = arena.allocate(100_000);
    }

    private static void closed() {
        try (Arena arena = Arena.ofConfined()) {
            arena.allocate(100_000);
        }
    }

    /** A collection closes it. */
    private static void automatic() {
        sink = Arena.ofAuto().allocate(100_000);
    }
}
