package ducktrack.workloads.sunflow;

import ducktrack.harness.Checksum;
import ducktrack.harness.Run;
import java.util.concurrent.atomic.LongAdder;
import org.sunflow.core.Display;
import org.sunflow.image.Color;

/**
 * Takes the finished buckets. They come on the renderer's own threads, which end with the picture: each reports with every bucket.
 * The checksum holds the number of pixels and the mean brightness in coarse steps, as rounding differs between the JDKs' compilers.
 */
final class Picture implements Display {
    private static final int STEPS = 50;

    private final Run run;
    private final LongAdder pixels = new LongAdder();
    private final LongAdder brightness = new LongAdder();

    Picture(Run run) {
        this.run = run;
    }

    @Override
    public void imageBegin(int width, int height, int bucketSize) {
        // Only sums are kept.
    }

    @Override
    public void imagePrepare(int x, int y, int width, int height, int id) {
        // Only sums are kept.
    }

    @Override
    public void imageUpdate(int x, int y, int width, int height, Color[] data, float[] alpha) {
        for (Color color : data) {
            brightness.add(Math.round(color.copy().toNonLinear().getLuminance() * 255));
        }
        pixels.add(data.length);
        run.reportThread();
    }

    @Override
    public void imageFill(int x, int y, int width, int height, Color color, float alpha) {
        pixels.add((long) width * height);
    }

    @Override
    public void imageEnd() {
        // Only sums are kept.
    }

    long checksum() {
        return new Checksum().add(pixels.sum()).add(brightness.sum() * STEPS / (255 * pixels.sum())).value();
    }
}
