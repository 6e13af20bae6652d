package ducktrack.workloads.graphics;

import ducktrack.harness.Checksum;
import ducktrack.harness.DebianFiles;
import ducktrack.harness.Run;
import ducktrack.harness.Workload;
import java.awt.image.BufferedImage;
import java.io.ByteArrayInputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import javax.imageio.ImageIO;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.stream.Stream;
import org.apache.batik.transcoder.SVGAbstractTranscoder;
import org.apache.batik.transcoder.TranscoderInput;
import org.apache.batik.transcoder.TranscoderOutput;
import org.apache.batik.transcoder.image.PNGTranscoder;

/**
 * SVG icons to PNG images. The checksum holds each picture's size and how much of it is opaque, to a sixteenth: the
 * rasterizers of different JDKs differ in single pixels.
 */
public final class Batik implements Workload {
    private static final int ICONS = 30;
    private static final float WIDTH = 256;

    private final List<Path> icons = new ArrayList<>();

    @Override
    public void prepare(Run run) throws Exception {
        System.setProperty("java.awt.headless", "true");
        Path folder = DebianFiles.find(run.target(), "tango-icon-theme", "usr/share/icons/Tango/scalable");
        try (Stream<Path> files = Files.walk(folder)) {
            files.filter(file -> file.toString().endsWith(".svg") && Files.isRegularFile(file) && !Files.isSymbolicLink(file))
                    .sorted()
                    .limit((long) ICONS * run.size())
                    .forEach(icons::add);
        }
    }

    @Override
    public long iterate(Run run) throws Exception {
        Checksum checksum = new Checksum();
        for (Path icon : icons) {
            checksum.add(icon.getFileName().toString());
            add(checksum, ImageIO.read(new ByteArrayInputStream(png(icon))));
        }
        return checksum.value();
    }

    private static byte[] png(Path icon) throws Exception {
        PNGTranscoder transcoder = new PNGTranscoder();
        transcoder.addTranscodingHint(SVGAbstractTranscoder.KEY_WIDTH, WIDTH);
        ByteArrayOutputStream png = new ByteArrayOutputStream();
        transcoder.transcode(new TranscoderInput(icon.toUri().toString()), new TranscoderOutput(png));
        return png.toByteArray();
    }

    private static void add(Checksum checksum, BufferedImage image) {
        checksum.add(image.getWidth()).add(image.getHeight());
        long opaque = 0;
        for (int y = 0; y < image.getHeight(); y++) {
            for (int x = 0; x < image.getWidth(); x++) {
                opaque += image.getRGB(x, y) >>> 24;
            }
        }
        checksum.add(Math.round(opaque / (255.0 * image.getWidth() * image.getHeight()) * 16));
    }
}
