import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.Test;

/** Tests that allocate too much, each in its own way, executed as JUnit 4 does: each once, on an object of its own. */
public class AdvisedTests {
    static final List<Object> KEPT = new ArrayList<>(Arrays.asList(1));
    static long sink;

    enum Color { RED, GREEN, BLUE }

    public static void main(String[] arguments) throws Exception {
        for (Method method : AdvisedTests.class.getDeclaredMethods()) {
            if (method.isAnnotationPresent(Test.class)) method.invoke(new AdvisedTests());
        }
    }

    @Test
    public void boxes() {
        for (int n = 1000; n < 3000; n++) KEPT.set(0, n);
    }

    @Test
    public void colors() {
        for (int n = 0; n < 3000; n++) sink += Color.values().length;
    }

    @Test
    public void nothing() {
        sink++;
    }
}
