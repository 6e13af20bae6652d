import java.lang.foreign.Arena;

/** Segments of arenas: 6 of 2,000 bytes are closed with theirs, 4 of 3,000 bytes stay. */
public final class Arenas {
    private static final Arena HELD = Arena.ofShared();

    private Arenas() {}

    private static void closed() {
        try (Arena arena = Arena.ofConfined()) {
            for (int i = 0; i < 6; i++) {
                arena.allocate(2000);
            }
        }
    }

    private static void held() {
        for (int i = 0; i < 4; i++) {
            HELD.allocate(3000);
        }
    }

    public static void main(String[] arguments) {
        closed();
        held();
    }
}
