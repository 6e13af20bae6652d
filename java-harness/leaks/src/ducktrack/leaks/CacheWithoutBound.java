package ducktrack.leaks;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A cache by query text, where nearly every text is new.
 *
 * <p>CULPRIT ducktrack.leaks.CacheWithoutBound$Answer made in ducktrack.leaks.CacheWithoutBound.compute
 * held by static ducktrack.leaks.CacheWithoutBound.CACHE
 */
public final class CacheWithoutBound {
    private static final Map<String, Answer> CACHE = new LinkedHashMap<>();

    private CacheWithoutBound() {}

    private record Answer(long[] rows) {}

    private static Answer compute(String query) {
        return new Answer(new long[150 + query.length()]);
    }

    /** Takes no words. */
    public static void main(String[] words) throws Exception {
        Work.steps(number -> CACHE.computeIfAbsent("select * from t where id = " + number, CacheWithoutBound::compute));
    }
}
