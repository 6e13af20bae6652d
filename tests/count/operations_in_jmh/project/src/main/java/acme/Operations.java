package acme;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/** Operations with known allocations: of some each object reaches the heap, of others the JIT removes all or a part. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class Operations {
    private final List<String> names = new ArrayList<>(List.of("a", "bc", "def"));
    private final int[] numbers = {1, 2, 3, 4, 5};
    private int next = 1000;

    static final class Point {
        final int x;
        final int y;

        Point(int x, int y) {
            this.x = x;
            this.y = y;
        }
    }

    /** One Integer. */
    @Benchmark
    public Integer box() {
        return 1000 + (next++ & 0xffff);
    }

    /** One array. */
    @Benchmark
    public int[] array() {
        return new int[10];
    }

    /** One array, of the size of another. */
    @Benchmark
    public int[] copy() {
        return numbers.clone();
    }

    /** A list and its array. */
    @Benchmark
    public List<String> list() {
        List<String> list = new ArrayList<>();
        list.add("a");
        return list;
    }

    /** A map, its table and an entry. */
    @Benchmark
    public Map<String, String> map() {
        Map<String, String> map = new HashMap<>();
        map.put("a", "b");
        return map;
    }

    /** A string and its bytes. */
    @Benchmark
    public String text() {
        return "number " + next++;
    }

    /** A point that does not leave the method. */
    @Benchmark
    public int point() {
        Point point = new Point(next, 3);
        return point.x * point.y;
    }

    /** An iterator. */
    @Benchmark
    public int iterator() {
        int length = 0;
        for (String name : names) {
            length += name.length();
        }
        return length;
    }

    /** Two optionals, a number in the first. */
    @Benchmark
    public int optional() {
        return Optional.of(names).map(List::size).get();
    }

    /** A builder, its bytes, a string and its bytes; of which the length is wanted. */
    @Benchmark
    public int builder() {
        return new StringBuilder().append(next++).append('x').toString().length();
    }
}
