package ducktrack.harness;

/**
 * The command line: {@code WORKLOAD [--iterations N] [--size S] [--threads T] [--warm-up N] [--warm-up-seconds S]} or {@code --list}.
 *
 * @param warmUp iterations ahead of the others, at least
 * @param warmUpSeconds how long these last, at least
 */
record Arguments(Catalog workload, int iterations, int size, int threads, int warmUp, int warmUpSeconds) {
    static final String USAGE = """
            usage: java -jar harness.jar WORKLOAD [--iterations N] [--size S] [--threads T] [--warm-up N] [--warm-up-seconds S]
                   java -jar harness.jar --list""";

    static Arguments parse(String[] words) {
        if (words.length == 0) {
            throw new IllegalArgumentException("no workload named");
        }
        Catalog workload = Catalog.find(words[0]);
        int iterations = workload.iterations();
        int size = workload.size();
        int threads = workload.threads();
        int warmUp = 0;
        int warmUpSeconds = 0;
        for (int i = 1; i < words.length; i += 2) {
            int value = positive(words, i);
            switch (words[i]) {
                case "--iterations" -> iterations = value;
                case "--size" -> size = value;
                case "--threads" -> threads = value;
                case "--warm-up" -> warmUp = value;
                case "--warm-up-seconds" -> warmUpSeconds = value;
                default -> throw new IllegalArgumentException("unknown option: " + words[i]);
            }
        }
        return new Arguments(workload, iterations, size, threads, warmUp, warmUpSeconds);
    }

    private static int positive(String[] words, int option) {
        if (option + 1 == words.length) {
            throw new IllegalArgumentException(words[option] + " needs a number");
        }
        int value;
        try {
            value = Integer.parseInt(words[option + 1]);
        } catch (NumberFormatException notANumber) {
            throw new IllegalArgumentException(words[option] + ": not a number: " + words[option + 1], notANumber);
        }
        if (value < 1) {
            throw new IllegalArgumentException(words[option] + " must be at least 1");
        }
        return value;
    }
}
