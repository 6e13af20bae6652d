import java.io.RandomAccessFile;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.util.ArrayList;
import java.util.List;

/**
 * Makes objects of {@link Marked} in threads without end, and says after each one how many there are, in a file that is mapped as memory:
 * {@code KilledEvents FILE THREADS KEEP}. One of {@code KEEP} objects stays alive for a while. With {@code fill} for the file, it fills the heap.
 */
public final class KilledEvents {
    private static final VarHandle LONGS = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    static final class Marked {
        final long value;

        Marked(long value) {
            this.value = value;
        }
    }

    /** What fills the heap. */
    static final class Filler {
        final long[] content = new long[100];
    }

    /** Alive until the end, whatever becomes of the thread that fills it. */
    static final List<Filler> ALL = new ArrayList<>();

    private KilledEvents() {}

    static void work(MappedByteBuffer counts, int thread, int keep) {
        Marked[] kept = new Marked[20_000];
        for (long made = 1;; made++) {
            Marked one = new Marked(made);
            kept[(int) (made / keep % kept.length)] = one;
            LONGS.setRelease(counts, thread * 64, made);
        }
    }

    static void fill() {
        for (;;) {
            ALL.add(new Filler());
        }
    }

    public static void main(String[] args) throws Exception {
        if (args[0].equals("fill")) {
            System.out.println("READY");
            fill();
        }
        int threads = Integer.parseInt(args[1]);
        int keep = Integer.parseInt(args[2]);
        try (RandomAccessFile file = new RandomAccessFile(args[0], "rw")) {
            MappedByteBuffer counts = file.getChannel().map(FileChannel.MapMode.READ_WRITE, 0, 64L * threads);
            for (int i = 0; i < threads; i++) {
                int number = i;
                new Thread(() -> work(counts, number, keep), "worker-" + i).start();
            }
        }
        System.out.println("READY");
    }
}
