package acme;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.ducktrack.allocations.Allocations;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;

/** Counts are those of the virtual thread, on whichever carriers it runs. */
class VirtualThreadTest {
    @Test
    @EnabledForJreRange(min = JRE.JAVA_21)
    void countsAreItsOwn() throws Exception {
        Method start = Thread.class.getMethod("startVirtualThread", Runnable.class);
        List<Long> found = Collections.synchronizedList(new ArrayList<>());
        List<Thread> threads = new ArrayList<>();
        for (int number = 0; number < 20; number++) {
            threads.add((Thread) start.invoke(null, (Runnable) () -> found.add(Allocations.of(VirtualThreadTest::inTwoParts).of(Orders.Session.class))));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertEquals(Collections.nCopies(20, 7L), found);
    }

    private static void inTwoParts() {
        Orders.some(3);
        Thread.yield();
        Orders.some(4);
    }
}
