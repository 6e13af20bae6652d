package ducktrack.leaks;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * Names are made unique through a table, names of a single use too.
 *
 * <p>CULPRIT ducktrack.leaks.Interning$Name made in ducktrack.leaks.Interning.name
 * held by static ducktrack.leaks.Interning.NAMES
 */
public final class Interning {
    private static final ConcurrentMap<Name, Name> NAMES = new ConcurrentHashMap<>();

    private Interning() {}

    private record Name(String text) {}

    private static Name name(int number) {
        Name fresh = new Name("a rather long name of something that comes once only ".repeat(20) + number);
        Name known = NAMES.putIfAbsent(fresh, fresh);
        return known == null ? fresh : known;
    }

    /** Takes no words. */
    public static void main(String[] words) throws Exception {
        Work.steps(Interning::name);
    }
}
