import java.util.ArrayList;
import java.util.List;

/**
 * A service whose requests differ, with sessions that end in any order, which never forgets one answer in a thousand: a long trace of a
 * small heap.
 *
 * <p>{@code java LongTrace REQUESTS}
 */
public final class LongTrace {
    private static final int SESSIONS = 50_000;
    private static final int REQUESTS_PER_FORGOTTEN = 1_000;
    private static final List<Answer> FORGOTTEN = new ArrayList<>();
    private static long random = 88_172_645_463_325_252L;

    private LongTrace() {}

    public static void main(String[] words) {
        int requests = Integer.parseInt(words[0]);
        Object[] sessions = new Object[SESSIONS];
        for (int request = 0; request < requests; request++) {
            Answer answer = answer();
            sessions[below(SESSIONS)] = answer;
            if (request % REQUESTS_PER_FORGOTTEN == 0) {
                FORGOTTEN.add(answer);
            }
        }
        System.out.println(FORGOTTEN.size() + " answers are never forgotten");
    }

    private static Answer answer() {
        Object[] parts = new Object[1 + below(8)];
        for (int at = 0; at < parts.length; at++) {
            parts[at] = part();
        }
        return new Answer(parts);
    }

    private static Object part() {
        return switch (below(8)) {
            case 0 -> new byte[below(200)];
            case 1 -> new int[below(20)];
            case 2 -> new Name(random);
            case 3 -> new Place(random, random);
            case 4 -> new char[below(60)];
            case 5 -> new Name[] {new Name(random), new Name(random)};
            case 6 -> new StringBuilder(below(40));
            default -> new Place[below(10)];
        };
    }

    private static int below(int bound) {
        random ^= random << 13;
        random ^= random >>> 7;
        random ^= random << 17;
        return (int) Long.remainderUnsigned(random, bound);
    }

    private record Answer(Object[] parts) {}

    private record Name(long first) {}

    private record Place(long east, long north) {}
}
