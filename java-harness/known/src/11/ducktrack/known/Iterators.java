package ducktrack.known;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.TreeMap;

// PROGRAM
// EXPECT
//   ring   Ring.iterator new Ring$Cursor  N  bytes=24
//   list   java.util.ArrayList.iterator new java.util.ArrayList$Itr N atleast
//   array  main new Cell 3N bytes=16
// END
/** Enhanced for: over an own collection (exact), the JDK's (the JDK itself iterates too: at least), and an array (no iterator). */
final class Iterators {
    private static final class Cell {
        int value = 1;
    }

    private static final class Ring implements Iterable<String> {
        private final String[] elements = {"a", "bb", "ccc"};

        @Override
        public Iterator<String> iterator() {
            return new Cursor(); // SITE ring
        }

        private final class Cursor implements Iterator<String> {
            private int next;

            @Override
            public boolean hasNext() {
                return next < elements.length;
            }

            @Override
            public String next() {
                if (next == elements.length) {
                    throw new NoSuchElementException();
                }
                return elements[next++];
            }
        }
    }

    public static void main(String[] words) throws Exception {
        long sum = 0;
        Ring ring = new Ring();
        List<String> list = new ArrayList<>(List.of("x", "y"));
        Map<String, Integer> map = new TreeMap<>(Map.of("k", 1));
        int[] array = {1, 2, 3};
        for (int i = 0; i < Known.N; i++) {
            for (String element : ring) {
                sum += element.length();
            }
            for (String element : list) {
                sum += element.length();
            }
            for (int element : array) {
                sum += element + new Cell().value; // SITE array
            }
            for (Map.Entry<String, Integer> entry : map.entrySet()) {
                sum += entry.getValue();
            }
        }
        Known.of(Iterators.class).count("ring", Known.N).count("list", Known.N).count("array", 3 * Known.N).done(sum);
    }
}
