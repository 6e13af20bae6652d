import java.util.ArrayList;
import java.util.List;

/**
 * A thread for each piece of work, which is kept where it is whole. When the heap is full, threads die of it and the main thread continues. Parallel ends that by "GC overhead limit
 * exceeded".
 */
public final class FullOfWork {
    static final List<List<byte[]>> HELD = new ArrayList<>(100_000);

    private static void work() {
        List<byte[]> items = new ArrayList<>();
        for (int k = 0; k < 64; k++) {
            items.add(new byte[1024]);
        }
        HELD.add(items);
    }

    /** No words. */
    public static void main(String[] words) throws Exception {
        for (int i = 0; i < 10_000; i++) {
            Thread thread = new Thread(FullOfWork::work);
            thread.start();
            thread.join();
        }
    }
}
