import java.nio.LongBuffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/**
 * Programs that do not end as they should.
 *
 * <pre>
 * count FILE THREADS   each thread makes objects for ever and publishes after each how many it has made, in a word of its own of the file
 * fill                 the heap, until there is an OutOfMemoryError that is not caught
 * many FILE THREADS WAVES   all threads live at the same time, each makes LIVES objects, then their sum is published; they end, and as many come
 *                           once more, until this was done WAVES times: the last ones stay
 * hand FILE THREADS    threads come and go, each makes LIVES objects, the sum of those that have ended is published
 * </pre>
 */
final class KilledProbe {
    static final int LIVES = 1_000;
    static volatile Object sink;
    /** The heap stays full while the program ends. */
    static Filler kept;

    static final class Marked {
        int field;
    }

    static final class Filler {
        final long[] words = new long[64];
        Filler next;
    }

    /** One object in each turn: of a class, an array, or an array that a library method makes for this one. */
    static void work(LongBuffer published, int index) {
        byte[] template = new byte[32];
        for (long made = 0; ; ) {
            switch ((int) (made % 3)) {
                case 0:
                    sink = new Marked();
                    break;
                case 1:
                    sink = new int[(int) made & 31];
                    break;
                default:
                    sink = Arrays.copyOf(template, (int) made & 31);
                    break;
            }
            published.put(index, ++made);
        }
    }

    static void live() {
        for (int i = 0; i < LIVES; i++) {
            sink = new Marked();
        }
    }

    static LongBuffer map(String file) throws Exception {
        try (FileChannel channel = FileChannel.open(
                Path.of(file), StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            ByteBuffer bytes = channel.map(FileChannel.MapMode.READ_WRITE, 0, 16384);
            return bytes.order(ByteOrder.LITTLE_ENDIAN).asLongBuffer();
        }
    }

    static void count(String file, int threads) throws Exception {
        LongBuffer published = map(file);
        for (int i = 0; i < threads; i++) {
            // Words of different lines of the cache.
            int index = i * 8;
            new Thread(() -> work(published, index), "worker-" + (i < 26 ? (char) ('a' + i) : (char) ('A' + i - 26))).start();
        }
    }

    static void hand(String file, int threads) throws Exception {
        LongBuffer published = map(file);
        for (long made = 0; ; made += (long) threads * LIVES, published.put(0, made)) {
            List<Thread> all = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                Thread thread = new Thread(KilledProbe::live, "kind " + (char) ('a' + (made / LIVES + i) % 26));
                thread.start();
                all.add(thread);
            }
            for (Thread thread : all) {
                thread.join();
            }
        }
    }

    static void many(String file, int threads, int waves) throws Exception {
        LongBuffer published = map(file);
        for (int wave = 1; wave <= waves; wave++) {
            CountDownLatch made = new CountDownLatch(threads);
            CountDownLatch end = new CountDownLatch(1);
            List<Thread> all = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                Runnable body = () -> {
                    live();
                    made.countDown();
                    try {
                        end.await();
                    } catch (InterruptedException interrupted) {
                        throw new IllegalStateException(interrupted);
                    }
                };
                Thread thread = new Thread(null, body, "one-of-many-" + i, 160 << 10);
                thread.start();
                all.add(thread);
            }
            made.await();
            published.put(0, (long) threads * LIVES * wave);
            if (wave == waves) {
                Thread.sleep(Long.MAX_VALUE);
            }
            end.countDown();
            for (Thread thread : all) {
                thread.join();
            }
        }
    }

    static void fill() {
        while (true) {
            Filler filler = new Filler();
            filler.next = kept;
            kept = filler;
        }
    }

    public static void main(String[] words) throws Exception {
        switch (words[0]) {
            case "count":
                count(words[1], Integer.parseInt(words[2]));
                break;
            case "many":
                many(words[1], Integer.parseInt(words[2]), Integer.parseInt(words[3]));
                break;
            case "hand":
                hand(words[1], Integer.parseInt(words[2]));
                break;
            default:
                fill();
        }
    }
}
