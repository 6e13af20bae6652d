package ducktrack.harness;

import java.util.Random;

/** Deterministic text: a made-up vocabulary in which, as in real text, few words are frequent and most are rare. */
public final class Words {
    private static final String[] SYLLABLES = {
        "ka", "lo", "mi", "ra", "ne", "tu", "so", "vi", "pe", "da", "gu", "fo", "zi", "be", "ho", "ju"
    };

    private final Random random;
    private final int vocabulary;

    /** @param vocabulary how many different words there are */
    public Words(long seed, int vocabulary) {
        this.random = new Random(seed);
        this.vocabulary = vocabulary;
    }

    /** The word of a rank; rank 0 is the most frequent one. */
    public static String ofRank(int rank) {
        StringBuilder word = new StringBuilder();
        int rest = rank + SYLLABLES.length;
        while (rest > 0) {
            word.append(SYLLABLES[rest % SYLLABLES.length]);
            rest /= SYLLABLES.length;
        }
        return word.toString();
    }

    /** A rank, the low ones much more often. */
    public int rank() {
        return (int) (vocabulary * cube(random.nextDouble()));
    }

    private static double cube(double value) {
        return value * value * value;
    }

    /** The next word. */
    public String word() {
        return ofRank(rank());
    }

    /** A uniformly distributed number from 0 to {@code bound - 1}. */
    public int number(int bound) {
        return random.nextInt(bound);
    }

    /** Words with spaces between them and a full stop. */
    public String sentence(int words) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < words; i++) {
            text.append(i == 0 ? "" : " ").append(word());
        }
        return text.append('.').toString();
    }
}
