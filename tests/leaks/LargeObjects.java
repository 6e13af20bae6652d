/** Keeps arrays that are larger than half a region of G1: 20 of 600,016 bytes and 10 of 1,200,016. */
public final class LargeObjects {
    static final byte[][] PAGES = new byte[20][];
    static final long[][] TABLES = new long[10][];

    private LargeObjects() {}

    public static void main(String[] words) {
        for (int i = 0; i < PAGES.length; i++) {
            PAGES[i] = new byte[600_000];
        }
        for (int i = 0; i < TABLES.length; i++) {
            TABLES[i] = new long[150_000];
        }
    }
}
