import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Cycles of a concurrent collector, more and more of whose work is for objects that stay, and which one site brings on.
 *
 * <p>{@code java CycleCost ROUNDS}. At the end it prints the CPU time of the collector's workers, as the kernel has it.
 */
public final class CycleCost {
    private static final int KEPT = 40_000;
    private static final int GARBAGE = 400_000;

    private static final class Kept {
        final Kept next;
        long value;

        Kept(Kept next) {
            this.next = next;
        }
    }

    private static final class Garbage {
        long first;
        long second;
    }

    private static Kept kept;
    private static Garbage garbage;

    private CycleCost() {}

    /** The words of the class comment. */
    public static void main(String[] words) throws IOException {
        for (int round = 0; round < Integer.parseInt(words[0]); round++) {
            for (int index = 0; index < KEPT; index++) {
                kept = new Kept(kept);
            }
            for (int index = 0; index < GARBAGE; index++) {
                garbage = new Garbage();
            }
            System.gc();
        }
        System.out.println("cpu " + nanosOfWorkers());
    }

    private static long nanosOfWorkers() throws IOException {
        long sum = 0;
        try (DirectoryStream<Path> threads = Files.newDirectoryStream(Path.of("/proc/self/task"))) {
            for (Path thread : threads) {
                String name = Files.readString(thread.resolve("comm"));
                if (name.startsWith("ZWorker") || name.startsWith("XWorker")) {
                    sum += Long.parseLong(Files.readString(thread.resolve("schedstat")).split(" ")[0]);
                }
            }
        }
        return sum;
    }
}
