import java.util.List;

/** Has what class files of Java 17 can tell besides: records, sealed classes. To be compiled with {@code -parameters}. */
public sealed interface ViewedLater permits ViewedLater.Pair, ViewedLater.Leaf, ViewedLater.Open {
    record Pair<T extends ViewedLater>(@Viewed.Seen("one") T one, List<@Viewed.Seen("part") T> two, int... rest) implements ViewedLater {
        public Pair {
            two = List.copyOf(two);
        }

        Object text(final String before) {
            return before + one + two;
        }
    }

    final class Leaf implements ViewedLater {
        Object made(String name) {
            record Local(String name, Object held) {}
            enum Inside { ONE }
            return new Local(name, Inside.ONE);
        }
    }

    non-sealed class Open implements ViewedLater {}
}
