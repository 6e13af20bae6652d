import java.io.Serializable;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;

/** Has of everything that a class file of Java 11 can tell: to be compiled with {@code -parameters}. */
@Viewed.Seen(value = "class", numbers = {1, 2}, type = Viewed.class, kind = Viewed.Kind.SECOND, inner = @Viewed.Part(7))
@Viewed.Many("a")
@Viewed.Many("b")
public class Viewed<@Viewed.Seen("variable") T extends Comparable<@Viewed.Seen("bound") T>> implements Comparable<@Viewed.Seen("argument") Viewed<T>>, Serializable {
    @Retention(RetentionPolicy.RUNTIME)
    @Inherited
    @Target({ElementType.TYPE, ElementType.TYPE_USE, ElementType.TYPE_PARAMETER, ElementType.METHOD, ElementType.FIELD, ElementType.PARAMETER, ElementType.CONSTRUCTOR})
    public @interface Seen {
        String value() default "nothing";

        int[] numbers() default {};

        Class<?> type() default Object.class;

        Kind kind() default Kind.FIRST;

        Part inner() default @Part(1);
    }

    @Retention(RetentionPolicy.RUNTIME)
    public @interface Part {
        long value();
    }

    @Retention(RetentionPolicy.RUNTIME)
    @Repeatable(Manys.class)
    public @interface Many {
        String value();
    }

    @Retention(RetentionPolicy.RUNTIME)
    public @interface Manys {
        Many[] value();
    }

    @Retention(RetentionPolicy.CLASS)
    @interface Unseen {}

    public enum Kind {
        FIRST, SECOND {
            @Override
            Object made() {
                return new Object[1];
            }
        };

        Object made() {
            return new Object();
        }
    }

    public static final String TEXT = "constant";
    static final long LONG = 0x1234_5678_9abcL;
    @Seen("field") @Unseen protected transient volatile Map<@Seen("key") String, ? super @Seen("wild") T @Seen("array") []> held;
    final int number;

    /** Implicit and synthetic parameters: an inner class has its outer object before its own. */
    @Seen("inner")
    class Inner<U> {
        Inner(@Seen("first") final U first, int... rest) throws @Seen("thrown") IllegalStateException {
            held = null;
        }
    }

    @Seen("constructor")
    public Viewed(@Seen("parameter") final int number, T ignored) {
        this.number = number + new int[number & 3].length;
    }

    @Deprecated
    @Seen("method")
    public <@Seen("own") X extends Exception & Serializable> List<? extends X> found(@Seen("one") final String one, @Unseen Map<T, X> two, T... three)
            throws @Seen("exception") X, InterruptedException {
        List<X> all = new java.util.ArrayList<>();
        for (String part : one.split(",")) {
            Supplier<Object> supplier = () -> new Object[] {part, two};
            supplier.get();
        }
        return all;
    }

    public Object found(final Object category, int page) {
        return new StringBuilder("found ").append(category).append(page).toString();
    }

    public Object found(long page, Object category) {
        return "found " + category + page;
    }

    public int compareTo(@Seen("receiver") Viewed<T> this, Viewed<T> other) {
        return new Integer[] {number}[0].compareTo(other.number);
    }

    public Object local(String name) {
        @Seen("local")
        class Local implements Comparator<String> {
            @Override
            public int compare(String one, String two) {
                return new String(one).compareTo(two + name);
            }
        }
        Comparator<String> anonymous = new Comparator<@Seen("anonymous") String>() {
            @Override
            public int compare(String one, String two) {
                return new String(two).compareTo(one + name);
            }
        };
        Function<Integer, int[]> constructor = int[]::new;
        return List.of(new Local(), anonymous, constructor.apply(3));
    }

    static Object abstractParts(Inherits part) {
        return new Object[] {part.given("x", 1), part};
    }

    interface Inherits {
        Object given(String text, final int number);

        default Object made(String text) {
            return new Object[] {text};
        }

        private Object own(int hidden) {
            return new int[hidden];
        }
    }

    abstract static class Bare implements Inherits {
        abstract void told(String text);

        native Object asked(final String question, long[] answers);

        @Override
        public synchronized Object given(String text, final int number) {
            return text + number;
        }
    }
}
