package ducktrack.published;

import java.lang.ref.SoftReference;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * Images are kept as long as there is memory.
 *
 * <p>KIND soft references HEAP 48 CONTROL
 */
public final class SoftlyHeld {
    private static final ConcurrentMap<Integer, SoftReference<byte[]>> IMAGES = new ConcurrentHashMap<>();

    private SoftlyHeld() {}

    /** Takes no words. */
    public static void main(String[] words) throws Exception {
        long sum = 0;
        for (int request = 0; request < 150_000; request++) {
            int image = request % 3_000;
            SoftReference<byte[]> known = IMAGES.get(image);
            byte[] pixels = known == null ? null : known.get();
            if (pixels == null) {
                pixels = new byte[20_000];
                IMAGES.put(image, new SoftReference<>(pixels));
            }
            sum += pixels.length + new byte[3_000].length;
        }
        System.out.println(sum);
    }
}
