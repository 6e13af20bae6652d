import java.net.URL;
import java.net.URLClassLoader;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** Fills memory of one kind at an even rate, or holds known amounts: hold, heap, direct, threads, loaders. */
public class MemoryLeaks {
    static final List<Object> KEPT = new ArrayList<>();
    static final long STEP_MILLIS = 100;

    public static void main(String[] args) throws Exception {
        if (args[0].equals("hold")) {
            KEPT.add(ByteBuffer.allocateDirect(40 << 20));
            for (int i = 0; i < 30; i++) KEPT.add(new byte[1 << 20]);
            for (int i = 0; i < 60; i++) sleeper(64);
            System.out.println("ready");
            Thread.sleep(Long.MAX_VALUE);
        }
        System.out.println("ready");
        for (long step = 1, begun = System.nanoTime(); ; step++) {
            switch (args[0]) {
                case "heap" -> KEPT.add(new byte[400_000]);
                case "direct" -> KEPT.add(filled(ByteBuffer.allocateDirect(400_000)));
                case "threads" -> { for (int i = 0; i < 2; i++) sleeper(90); }
                case "loaders" -> { for (int i = 0; i < 20; i++) KEPT.add(loaded()); }
                default -> throw new IllegalArgumentException(args[0]);
            }
            long due = begun + step * STEP_MILLIS * 1_000_000 - System.nanoTime();
            if (due > 0) Thread.sleep(due / 1_000_000);
        }
    }

    static ByteBuffer filled(ByteBuffer buffer) {
        while (buffer.remaining() >= 8) buffer.putLong(1);
        return buffer;
    }

    /** A thread that has used this many frames of its stack and waits. */
    static void sleeper(int depth) {
        Thread thread = new Thread(null, () -> deep(depth * 40), "sleeper", 2 << 20);
        thread.setDaemon(true);
        thread.start();
    }

    static long deep(int depth) {
        if (depth > 0) return deep(depth - 1) + depth;
        try { Thread.sleep(Long.MAX_VALUE); } catch (InterruptedException end) { }
        return 0;
    }

    /** This class once more, in a loader of its own. */
    static Object loaded() throws Exception {
        URL here = MemoryLeaks.class.getProtectionDomain().getCodeSource().getLocation();
        URLClassLoader loader = new URLClassLoader(new URL[] {here}, ClassLoader.getPlatformClassLoader());
        return Class.forName("MemoryLeaks", true, loader);
    }
}
