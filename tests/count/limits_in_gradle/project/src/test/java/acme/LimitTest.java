package acme;

import io.ducktrack.junit.MaxObjects;
import org.junit.jupiter.api.Test;

class LimitTest {
    static Object sink;

    @Test
    @MaxObjects(2)
    void holds() {
        sink = new Object[] {new Object()};
    }

    @Test
    @MaxObjects(1)
    void breaks() {
        sink = new Object[] {new Object()};
    }
}
