package acme;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.ducktrack.allocations.Allocations;
import io.ducktrack.allocations.Survivors;
import io.ducktrack.junit.AllocationTest;
import io.ducktrack.junit.MaxBytes;
import io.ducktrack.junit.MaxObjects;
import io.ducktrack.junit.MaxSurvivors;
import io.ducktrack.junit.NoAllocation;
import io.ducktrack.junit.NoLeak;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Limits that hold exactly: one object less, and they would be broken (BrokenTest). */
class HoldingTest {
    static Object sink;
    /** Of one test alone: tests run beside each other. */
    static Object kept;

    @Test
    @MaxObjects(22)
    @MaxBytes("4KiB")
    void ten() {
        sink = Orders.some(10);
    }

    /** The same count in each of a hundred runs, beside other tests. */
    @RepeatedTest(100)
    void hundredTimes() {
        Allocations found = Allocations.of(() -> Orders.some(7));
        assertEquals(16, found.objects());
        assertEquals(7, found.of(Orders.Session.class));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    @MaxObjects(6)
    void upToTwo(int number) {
        sink = Orders.some(number);
    }

    @Test
    @NoAllocation
    void none() {
        sink = null;
    }

    @Test
    @NoAllocation(in = "acme.hot..")
    void noneThere() {
        sink = Orders.some(3);
    }

    @Nested
    @MaxObjects(4)
    class Inner {
        @Test
        void one() {
            sink = Orders.some(1);
        }

        @Nested
        class Innermost {
            @Test
            void oneAgain() {
                sink = Orders.some(1);
            }
        }
    }

    @Test
    @NoLeak
    void cacheIsFull() {
        Orders.cached();
    }

    @Test
    @MaxSurvivors(type = Orders.Session.class, value = 1)
    @MaxSurvivors(type = byte[].class, value = 1)
    void oneStays() {
        Orders.cached();
    }

    @Test
    void groups() {
        Survivors found = Survivors.of(() -> kept = Orders.some(5), 10);
        assertEquals(5, found.of(Orders.Session.class));
        assertEquals(0, found.leaks().size());
    }

    /** Of a class with {@code @AllocationTest}, ducktrack.toml has the limit. */
    @AllocationTest
    @Nested
    class Budgeted {
        @Test
        void budget() {
            sink = Orders.some(10);
        }

        @Test
        void site() {
            sink = two();
        }
    }

    private static Object two() {
        return new Object[] {new Object()};
    }
}
