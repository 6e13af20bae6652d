package ducktrack.workloads.jdk;

import ducktrack.harness.Checksum;
import ducktrack.harness.Run;
import ducktrack.harness.Words;
import ducktrack.harness.Workload;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Parallel streams on the common pool: grouping of words, k-means, concurrent counting.
 *
 * <p>With the property {@code ducktrack.streams.inPlace} sums of points are added up where they are.
 */
public final class Streams implements Workload {
    private static final int CLUSTERS = 8;
    private static final int ROUNDS = 6;
    private static final boolean IN_PLACE = Boolean.getBoolean("ducktrack.streams.inPlace");

    private List<String> lines;
    private double[][] points;

    @Override
    public void prepare(Run run) {
        Words words = new Words(42, 20_000);
        lines = Stream.generate(() -> words.sentence(12)).limit(10_000L * run.size()).toList();
        points = new double[10_000 * run.size()][];
        for (int i = 0; i < points.length; i++) {
            points[i] = new double[] {words.number(1000), words.number(1000), words.number(1000)};
        }
    }

    @Override
    public long iterate(Run run) {
        Checksum checksum = new Checksum();
        grouping().forEach((length, count) -> checksum.add(length).add(count));
        for (long[] cluster : clusters()) {
            checksum.add(Arrays.hashCode(cluster));
        }
        new TreeMap<>(concurrentCount()).forEach((word, count) -> checksum.add(word).add(count));
        return checksum.value();
    }

    private Map<Integer, Long> grouping() {
        return lines.parallelStream()
                .flatMap(line -> Arrays.stream(line.split(" ")))
                .filter(word -> word.length() > 2)
                .map(word -> word.substring(1) + word.charAt(0))
                .collect(Collectors.groupingBy(String::hashCode, TreeMap::new, Collectors.counting()));
    }

    /** Sums of whole numbers, so that the order in which threads add does not matter. */
    private long[][] clusters() {
        double[][] centers = IntStream.range(0, CLUSTERS).mapToObj(i -> points[i * 31].clone()).toArray(double[][]::new);
        long[][] sums = new long[CLUSTERS][4];
        for (int round = 0; round < ROUNDS; round++) {
            double[][] current = centers;
            Map<Integer, long[]> byCenter = Arrays.stream(points)
                    .parallel()
                    .collect(Collectors.toMap(point -> nearest(point, current), Streams::single, Streams::plus));
            for (int i = 0; i < CLUSTERS; i++) {
                sums[i] = byCenter.getOrDefault(i, new long[4]);
            }
            centers = Arrays.stream(sums).map(Streams::mean).toArray(double[][]::new);
        }
        return sums;
    }

    private static int nearest(double[] point, double[][] centers) {
        int best = 0;
        double least = Double.MAX_VALUE;
        for (int i = 0; i < centers.length; i++) {
            double distance = 0;
            for (int axis = 0; axis < point.length; axis++) {
                double difference = point[axis] - centers[i][axis];
                distance += difference * difference;
            }
            if (distance < least) {
                least = distance;
                best = i;
            }
        }
        return best;
    }

    private static long[] single(double[] point) {
        return new long[] {(long) point[0], (long) point[1], (long) point[2], 1};
    }

    private static long[] plus(long[] left, long[] right) {
        long[] sum = IN_PLACE ? left : new long[left.length];
        Arrays.setAll(sum, i -> left[i] + right[i]);
        return sum;
    }

    private static double[] mean(long[] sum) {
        long count = Math.max(1, sum[3]);
        return new double[] {(double) sum[0] / count, (double) sum[1] / count, (double) sum[2] / count};
    }

    private Map<String, Long> concurrentCount() {
        Map<String, Long> counts = new ConcurrentHashMap<>();
        lines.parallelStream().forEach(line -> {
            for (String word : line.split(" ")) {
                counts.merge(word.toUpperCase(java.util.Locale.ROOT), 1L, Long::sum);
            }
        });
        return counts;
    }
}
