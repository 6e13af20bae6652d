package acme;

import io.ducktrack.junit.AllocationBaseline;
import io.ducktrack.junit.AllocationTest;
import io.ducktrack.junit.MaxBytes;
import io.ducktrack.junit.MaxObjects;
import io.ducktrack.junit.MaxSurvivors;
import io.ducktrack.junit.NoAllocation;
import io.ducktrack.junit.NoLeak;
import org.junit.jupiter.api.Test;

/** Each of these fails; tests/count/limits_in_maven knows the messages. */
class BrokenTest {
    static Object sink;
    /** Of one test alone: the others run beside it. */
    static Object kept;

    @Test
    @MaxObjects(21)
    void ten() {
        sink = Orders.some(10);
    }

    @Test
    @MaxBytes("1KiB")
    void tenInBytes() {
        sink = Orders.some(10);
    }

    @Test
    @NoAllocation(in = "acme.Orders")
    void there() {
        sink = Orders.some(1);
    }

    @Test
    @AllocationBaseline
    void noBaseline() {
        sink = Orders.some(1);
    }

    @Test
    @NoLeak
    void leaks() {
        Orders.open();
    }

    @Test
    @MaxSurvivors(type = Orders.Session.class)
    void stays() {
        kept = new Orders.Session();
    }

    @Test
    @AllocationTest
    void budget() {
        sink = Orders.some(10);
    }

    /** ducktrack.toml has the limits of {@code two} and of {@code Hot}. */
    @Test
    @AllocationTest
    void site() {
        sink = two();
    }

    @Test
    @AllocationTest
    void hot() {
        sink = Hot.text(10);
    }

    private static Object two() {
        return new Object[] {new Object()};
    }

    private static final class Hot {
        static String text(int number) {
            return Integer.toString(number);
        }
    }
}
