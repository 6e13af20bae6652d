import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/** Keeps waste whose amount is known by construction; several kinds are of the same bytes. */
public class Wasted {
    static final class Left { String name; }
    static final class Right { String name; }
    static final class Pixels { byte[] zero; }
    static final class Counts { List<Integer> equal; }
    static final class Tags { Set<Object> one; }
    static final class Gone { Set<Object> emptied; }
    static final class Wide { Set<Object> sparse; }
    static final class Amount { BigDecimal value; }
    static final class Moment { LocalDateTime at; }
    record Named(String name, int number) {}
    static final class Label { Named named; }
    static class Base { int never; long neverEither; }
    static final class Derived extends Base { int used; Object none; }
    static final class Wrapped { List<Object> twice; }
    static final class Numbers { Set<Integer> boxed; }
    static final class Cells { AtomicReference<?>[] references; AtomicLong[] counts; }
    static final class Sharing { List<Object> none; }

    static final Object[] KEYS = new Object[64];
    static final String[] NAMES = new String[5];
    static final List<Object> KEPT = new ArrayList<>();
    static final List<Object> WORDS = new ArrayList<>(List.of("a", "b"));
    static final List<Object> NOTHING = new ArrayList<>();

    static String text(int value) { return new String(("value " + value).toCharArray()); } // MADE text

    static void strings() {
        for (int i = 0; i < 300; i++) { Left left = new Left(); left.name = text(i % 10); KEPT.add(left); }
        for (int i = 0; i < 100; i++) { Right right = new Right(); right.name = text(i % 10); KEPT.add(right); }
    }
    static void arrays() {
        for (int i = 0; i < 20; i++) {
            Pixels pixels = new Pixels();
            pixels.zero = new byte[1000]; // MADE zero
            KEPT.add(pixels);
        }
    }
    static void boxes() {
        for (int i = 0; i < 30; i++) {
            Counts counts = new Counts();
            counts.equal = new ArrayList<>(50);
            for (int k = 0; k < 50; k++) {
                counts.equal.add(100_000 + k); // MADE boxes
            }
            KEPT.add(counts);
        }
    }
    static void sets() {
        for (int i = 0; i < 40; i++) {
            Tags tags = new Tags();
            tags.one = new HashSet<>(); // MADE one
            tags.one.add(KEYS[0]);
            KEPT.add(tags);
        }
        for (int i = 0; i < 25; i++) {
            Gone gone = new Gone();
            gone.emptied = new HashSet<>(); // MADE emptied
            gone.emptied.add(KEYS[1]);
            gone.emptied.remove(KEYS[1]);
            KEPT.add(gone);
        }
        for (int i = 0; i < 10; i++) {
            Wide wide = new Wide();
            wide.sparse = new HashSet<>(1000); // MADE sparse
            for (int k = 0; k < 20; k++) wide.sparse.add(KEYS[k]);
            KEPT.add(wide);
        }
    }
    static void values() {
        for (int i = 0; i < 80; i++) {
            Amount amount = new Amount();
            amount.value = new BigDecimal(new BigInteger("12345678901234567890123" + i % 4), 2); // MADE decimal
            KEPT.add(amount);
        }
        for (int i = 0; i < 60; i++) {
            Moment moment = new Moment();
            moment.at = LocalDateTime.of(2026, 3, 1 + i % 3, 12, 13); // MADE moment
            KEPT.add(moment);
        }
        for (int i = 0; i < 200; i++) {
            Label label = new Label();
            label.named = new Named(NAMES[i % 5], i % 5); // MADE named
            KEPT.add(label);
        }
    }
    static void others() {
        for (int i = 0; i < 100; i++) {
            Derived derived = new Derived(); // MADE derived
            derived.used = 1 + i;
            KEPT.add(derived);
        }
        for (int i = 0; i < 15; i++) {
            Wrapped wrapped = new Wrapped();
            wrapped.twice = Collections.synchronizedList(Collections.unmodifiableList(WORDS)); // MADE twice
            KEPT.add(wrapped);
        }
        for (int i = 0; i < 5; i++) {
            Cells cells = new Cells();
            cells.references = new AtomicReference<?>[20];
            for (int k = 0; k < 20; k++) {
                cells.references[k] = new AtomicReference<>(); // MADE references
            }
            cells.counts = new AtomicLong[10];
            for (int k = 0; k < 10; k++) {
                cells.counts[k] = new AtomicLong(k); // MADE counts
            }
            KEPT.add(cells);
        }
        for (int i = 0; i < 12; i++) {
            Numbers numbers = new Numbers();
            numbers.boxed = new HashSet<>();
            for (int k = 0; k < 12; k++) {
                numbers.boxed.add(200_000 + i * 12 + k); // MADE numbers
            }
            KEPT.add(numbers);
        }
        for (int i = 0; i < 50; i++) {
            Sharing sharing = new Sharing();
            sharing.none = NOTHING;
            KEPT.add(sharing);
        }
    }

    public static void main(String[] args) {
        for (int i = 0; i < KEYS.length; i++) KEYS[i] = new Object();
        for (int i = 0; i < NAMES.length; i++) NAMES[i] = "name " + i;
        strings();
        arrays();
        boxes();
        sets();
        values();
        others();
    }
}
