import java.util.ArrayList;
import java.util.List;

/** Fills the heap from a local variable, which is gone when the program ends by the error. */
public final class Exhaustion {
    private Exhaustion() {}

    /** No words. */
    public static void main(String[] words) {
        fill();
    }

    private static void fill() {
        List<byte[]> held = new ArrayList<>();
        while (true) {
            held.add(new byte[10_000]);
        }
    }
}
