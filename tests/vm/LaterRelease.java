/** Keeps as many objects as it is told to, through full collections. */
final class LaterRelease {
    private static final class Kept {}

    private static Kept[] kept;

    public static void main(String[] words) {
        kept = new Kept[Integer.parseInt(words[0])];
        for (int i = 0; i < kept.length; i++) {
            kept[i] = new Kept();
        }
        for (int i = 0; i < 2; i++) {
            System.gc();
        }
    }
}
