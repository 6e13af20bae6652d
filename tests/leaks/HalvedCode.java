import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectOutputStream;
import java.math.BigInteger;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Five programs in which one method causes a part of all allocations, nearly all of them in code of the JDK that it calls. With {@code -Dhalf=true} each calls it half as
 * often. At the end: the CPU time in nanoseconds of the thread that collects (Serial).
 */
public final class HalvedCode {
    private static final boolean IS_HALVED = Boolean.getBoolean("half");
    private static final Pattern WORDS = Pattern.compile("[ ,;]+");

    /** What a step leaves behind, for a while. */
    private static final ArrayDeque<Object> WINDOW = new ArrayDeque<>();

    private static Object lost;

    private HalvedCode() {}

    private static void keep(Object object, int most) {
        WINDOW.add(object);
        while (WINDOW.size() > most) {
            WINDOW.remove();
        }
    }

    /** Whether the halved method is to run in this step. */
    private static boolean isDue(int step) {
        return !IS_HALVED || step % 2 == 0;
    }

    static final class Lines {
        static String line(int step) {
            return String.format("%08d %-12s %6.2f %s", step, "request", step / 7.0, "done");
        }

        static void step(int step) {
            if (isDue(step)) {
                lost = line(step);
            }
            keep(new byte[300 + step % 200], 20_000);
        }
    }

    static final class Records {
        static TreeMap<String, List<Integer>> record(int step) {
            TreeMap<String, List<Integer>> record = new TreeMap<>();
            for (int at = 0; at < 6; at++) {
                record.computeIfAbsent("key" + (step + at) % 1000, key -> new ArrayList<>()).add(step + 1000 + at);
            }
            return record;
        }

        static void step(int step) {
            if (isDue(step)) {
                keep(record(step), 8_000);
            }
            char[] page = new char[600];
            Arrays.fill(page, 'x');
            lost = new String(page);
        }
    }

    static final class Serialized {
        static byte[] written(int step) {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
                out.writeObject(new ArrayList<>(List.of("name" + step, step, "x".repeat(100))));
            } catch (IOException impossible) {
                throw new AssertionError(impossible);
            }
            return bytes.toByteArray();
        }

        static void step(int step) {
            if (isDue(step)) {
                lost = written(step);
            }
            StringBuilder text = new StringBuilder();
            for (int at = 0; at < 40; at++) {
                text.append(step).append(' ');
            }
            keep(text.toString(), 20_000);
        }
    }

    static final class Words {
        static String[] words(int step) {
            return WORDS.split("alpha beta, gamma; " + step + " delta epsilon, zeta");
        }

        static void step(int step) {
            if (isDue(step)) {
                keep(words(step), 15_000);
            }
            lost = IntStream.range(0, 12).boxed().map(number -> number * 1000).collect(Collectors.toList());
        }
    }

    static final class Numbers {
        static BigInteger power(int step) {
            return BigInteger.valueOf(step + 3L).pow(90).mod(BigInteger.valueOf(1_000_003));
        }

        static void step(int step) {
            if (isDue(step)) {
                lost = power(step);
            }
            if (step % 4 == 0) {
                keep(new ArrayList<>(List.of(step, step + 1, "n" + step)), 30_000);
            }
        }
    }

    private static void step(String program, int step) {
        switch (program) {
            case "Lines" -> Lines.step(step);
            case "Records" -> Records.step(step);
            case "Serialized" -> Serialized.step(step);
            case "Words" -> Words.step(step);
            default -> Numbers.step(step);
        }
    }

    /** Of the VM's thread, which collects with Serial. */
    private static long collectorNanos() throws IOException {
        try (DirectoryStream<Path> threads = Files.newDirectoryStream(Path.of("/proc/self/task"))) {
            for (Path thread : threads) {
                if (Files.readString(thread.resolve("comm")).trim().equals("VM Thread")) {
                    return Long.parseLong(Files.readString(thread.resolve("schedstat")).split(" ")[0]);
                }
            }
        }
        throw new IOException("there is no VM thread");
    }

    /** The program, and its steps. */
    public static void main(String[] words) throws IOException {
        int steps = Integer.parseInt(words[1]);
        for (int step = 0; step < steps; step++) {
            step(words[0], step);
        }
        System.out.println("collector " + collectorNanos());
    }
}
