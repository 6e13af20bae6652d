import java.io.File;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.zip.Deflater;
import java.util.zip.Inflater;

/** Makes memory outside of the heap with each two megabytes that it allocates: what is named first stays, or goes as the second word says. */
public class OffHeapLeaks {
    private static final int STEPS = 240;
    private static final List<byte[]> BASE = new ArrayList<>();
    private static final List<Object> HELD = new ArrayList<>();
    private static final Deque<Object> NEWEST = new ArrayDeque<>();
    private static final CountDownLatch NEVER = new CountDownLatch(1);
    private static volatile Object sink;

    public static void main(String[] arguments) throws Exception {
        File file = File.createTempFile("mapped", null);
        file.deleteOnExit();
        for (int mb = 0; mb < 10; mb++) {
            BASE.add(new byte[1 << 20]);
        }
        try (FileChannel channel = new RandomAccessFile(file, "rw").getChannel()) {
            for (int step = 0; step < STEPS; step++) {
                for (int at = 0; at < 2048; at++) {
                    sink = new byte[1008];
                }
                step(arguments[0], channel);
                if (step % 15 == 14) {
                    System.gc();
                }
            }
        }
        System.out.println(HELD.size() + NEWEST.size() + BASE.size());
    }

    private static void step(String shape, FileChannel channel) throws Exception {
        switch (shape) {
            case "direct" -> directHeld();
            case "directDropped" -> directDropped();
            case "directReplaced" -> directReplaced();
            case "directOnce" -> directOnce();
            case "mapped" -> mappedHeld(channel);
            case "mappedDropped" -> mappedDropped(channel);
            case "inflater" -> inflaterHeld();
            case "inflaterEnded" -> inflaterEnded();
            case "deflaterDropped" -> deflaterDropped();
            case "thread" -> threadHeld();
            case "threadEnded" -> threadEnded();
            default -> { }
        }
    }

    private static void directHeld() {
        HELD.add(ByteBuffer.allocateDirect(100_000));
    }

    /** A collection releases it. */
    private static void directDropped() {
        sink = ByteBuffer.allocateDirect(100_000);
    }

    /** The newest 20 stay. */
    private static void directReplaced() {
        NEWEST.add(ByteBuffer.allocateDirect(100_000));
        if (NEWEST.size() > 20) {
            NEWEST.remove();
        }
    }

    /** A pool that is full at once. */
    private static void directOnce() {
        if (HELD.size() < 8) {
            HELD.add(ByteBuffer.allocateDirect(4_000_000));
        }
    }

    private static void mappedHeld(FileChannel channel) throws Exception {
        HELD.add(channel.map(FileChannel.MapMode.READ_WRITE, 0, 100_000));
    }

    private static void mappedDropped(FileChannel channel) throws Exception {
        sink = channel.map(FileChannel.MapMode.READ_WRITE, 0, 100_000);
    }

    private static void inflaterHeld() {
        HELD.add(new Inflater());
    }

    private static void inflaterEnded() {
        Inflater inflater = new Inflater();
        inflater.end();
    }

    /** A collection releases what zlib holds for it. */
    private static void deflaterDropped() {
        sink = new Deflater();
    }

    private static void threadHeld() {
        Thread thread = new Thread(null, OffHeapLeaks::await, "held", 256 << 10);
        thread.setDaemon(true);
        thread.start();
    }

    private static void threadEnded() throws Exception {
        Thread thread = new Thread(null, () -> { }, "ended", 256 << 10);
        thread.start();
        thread.join();
    }

    private static void await() {
        try {
            NEVER.await();
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
        }
    }
}
