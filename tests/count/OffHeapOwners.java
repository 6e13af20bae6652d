import java.io.File;
import java.io.RandomAccessFile;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel.MapMode;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.Deflater;
import java.util.zip.Inflater;

/**
 * Memory outside of the heap whose makers, sizes and releases are known: each method makes one kind. Prints the JVM's own count of its buffers; then ends, or waits to
 * be killed ({@code wait}).
 */
public final class OffHeapOwners {
    private static final List<Object> HELD = new ArrayList<>();

    private OffHeapOwners() {}

    /** 10 buffers of 1,001 to 1,010 bytes. */
    private static void directHeld() {
        for (int i = 1; i <= 10; i++) {
            HELD.add(ByteBuffer.allocateDirect(1000 + i));
        }
    }

    /** 20 buffers of 1 MB, which a collection releases. */
    private static void directDropped() {
        for (int i = 0; i < 20; i++) {
            ByteBuffer.allocateDirect(1 << 20);
        }
    }

    /** A mapping of 12,345 bytes. */
    private static void mappedHeld(File file) throws Exception {
        try (RandomAccessFile open = new RandomAccessFile(file, "rw")) {
            HELD.add(open.getChannel().map(MapMode.READ_WRITE, 0, 12345));
        }
    }

    /** Two mappings of 5,000 bytes, which a collection releases. */
    private static void mappedDropped(File file) throws Exception {
        try (RandomAccessFile open = new RandomAccessFile(file, "rw")) {
            open.getChannel().map(MapMode.READ_WRITE, 0, 5000);
            open.getChannel().map(MapMode.READ_WRITE, 0, 5000);
        }
    }

    /** 5 that stay, 3 that end; and a deflater. */
    private static void zlib() {
        for (int i = 0; i < 5; i++) {
            HELD.add(new Inflater());
        }
        for (int i = 0; i < 3; i++) {
            new Inflater().end();
        }
        HELD.add(new Deflater());
    }

    /** 4 threads that stay, with stacks of 256 KB. */
    private static void threadsHeld() {
        for (int i = 0; i < 4; i++) {
            Thread thread = new Thread(null, OffHeapOwners::sleep, "held", 256 << 10);
            thread.setDaemon(true);
            thread.start();
        }
    }

    /** 6 threads that end. */
    private static void threadsEnded() throws Exception {
        for (int i = 0; i < 6; i++) {
            Thread thread = new Thread(() -> {});
            thread.start();
            thread.join();
        }
    }

    /** 7 blocks of 4,096 bytes, of which 3 stay; one of 100 bytes becomes one of 200. */
    private static void unsafe() throws Exception {
        var field = sun.misc.Unsafe.class.getDeclaredField("theUnsafe");
        field.setAccessible(true);
        sun.misc.Unsafe unsafe = (sun.misc.Unsafe) field.get(null);
        for (int i = 0; i < 7; i++) {
            long block = unsafe.allocateMemory(4096);
            if (i >= 3) {
                unsafe.freeMemory(block);
            }
        }
        unsafe.reallocateMemory(unsafe.allocateMemory(100), 200);
    }

    private static void sleep() {
        try {
            Thread.sleep(1_000_000);
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
        }
    }

    private static BufferPoolMXBean pool(String name) {
        for (BufferPoolMXBean pool : ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class)) {
            if (pool.getName().equals(name)) {
                return pool;
            }
        }
        throw new IllegalStateException(name);
    }

    public static void main(String[] arguments) throws Exception {
        File file = File.createTempFile("mapped", null);
        file.deleteOnExit();
        directHeld();
        directDropped();
        mappedHeld(file);
        mappedDropped(file);
        zlib();
        threadsHeld();
        threadsEnded();
        unsafe();
        BufferPoolMXBean direct = pool("direct");
        BufferPoolMXBean mapped = pool("mapped");
        while (direct.getCount() > 10 || mapped.getCount() > 1) {
            System.gc();
            Thread.sleep(50);
        }
        System.out.println(direct.getCount() + " " + direct.getMemoryUsed() + " " + mapped.getCount() + " " + mapped.getMemoryUsed());
        if (arguments.length > 0) {
            sleep();
        }
    }
}
