package ducktrack.dacapo;

import java.util.ArrayList;
import java.util.List;

/**
 * Not DaCapo: it takes {@code --scratch-directory DIR -n N -s SIZE BENCHMARK} as DaCapo does and prints the lines that DaCapo prints. Benchmark {@code standin}
 * passes, {@code broken} fails its validation, {@code thrower} ends with an exception; others are unknown.
 */
public final class StandIn {
    private static final String SUITE = "===== DaCapo stand-in ";

    private StandIn() {}

    /** Runs one benchmark. */
    public static void main(String[] words) {
        int iterations = 1;
        String benchmark = null;
        for (int i = 0; i < words.length; i++) {
            switch (words[i]) {
                case "-n" -> iterations = Integer.parseInt(words[++i]);
                case "-s", "--scratch-directory" -> i++;
                default -> benchmark = words[i];
            }
        }
        if (benchmark == null || !List.of("standin", "broken", "thrower").contains(benchmark)) {
            System.err.println("Unknown benchmark: " + benchmark);
            System.exit(20);
        }
        for (int i = 1; i <= iterations; i++) {
            iterate(benchmark, i, iterations);
        }
    }

    private static void iterate(String benchmark, int iteration, int iterations) {
        boolean last = iteration == iterations;
        System.err.println(SUITE + benchmark + " starting " + (last ? "" : "warmup " + iteration + " ") + "=====");
        long begin = System.nanoTime();
        int length = work();
        long millis = (System.nanoTime() - begin) / 1_000_000;
        if (benchmark.equals("thrower")) {
            throw new IllegalStateException("as asked");
        }
        if (benchmark.equals("broken") || length != 100_000) {
            System.err.println(SUITE + benchmark + " FAILED " + (last ? "" : "warmup ") + "=====");
            System.exit(1);
        }
        String done = last ? " PASSED in " : " completed warmup " + iteration + " in ";
        System.err.println(SUITE + benchmark + done + millis + " msec =====");
    }

    private static int work() {
        List<Object> objects = new ArrayList<>();
        for (int i = 0; i < 100_000; i++) {
            objects.add(new int[4]);
        }
        return objects.size();
    }
}
