/** How deep a recursion that allocates comes, at the most: {@code RecursionDepth library}, or {@code plain} without calls of library methods. */
public final class RecursionDepth {
    static Object sink;
    static int depth;

    private RecursionDepth() {}

    static void plain(int level) {
        depth = level;
        sink = new int[3];
        plain(level + 1);
    }

    static void library(int level) {
        depth = level;
        sink = new StringBuilder().append(String.valueOf(level)).append(level).toString();
        library(level + 1);
    }

    private static int deepest(boolean library) {
        try {
            if (library) {
                library(0);
            }
            plain(0);
        } catch (StackOverflowError end) {
            // As deep as it gets.
        }
        return depth;
    }

    public static void main(String[] words) {
        int deepest = 0;
        for (int i = 0; i < 5; i++) {
            deepest = Math.max(deepest, deepest(words[0].equals("library")));
        }
        System.out.println(deepest);
    }
}
