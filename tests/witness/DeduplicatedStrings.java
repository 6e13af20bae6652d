/**
 * Equal strings, each with an array of its own, that stay alive to the end: the VM lets them share one array, and the other arrays die while their strings live on.
 * Arguments: how many strings. Prints how many arrays the strings have in the end.
 */
public class DeduplicatedStrings {
    static String[] kept;
    static volatile Object sink;

    public static void main(String[] arguments) throws Exception {
        int strings = Integer.parseInt(arguments[0]);
        kept = new String[strings];
        for (int i = 0; i < strings; i++) {
            kept[i] = made();
        }
        // Young collections, until the strings are old enough to be looked at; then time for the VM's own thread.
        for (int round = 0; round < 12; round++) {
            for (int i = 0; i < 60_000; i++) {
                sink = new byte[100];
            }
            Thread.sleep(100);
        }
        System.gc();
        System.gc();
        System.out.println(shared());
    }

    static String made() {
        return new String(new char[] {'e', 'q', 'u', 'a', 'l', ' ', 't', 'e', 'x', 't'});
    }

    /** The strings that have the array of the one before. */
    static int shared() throws Exception {
        java.lang.reflect.Field value = String.class.getDeclaredField("value");
        value.setAccessible(true);
        int shared = 0;
        for (int i = 1; i < kept.length; i++) {
            shared += value.get(kept[i]) == value.get(kept[i - 1]) ? 1 : 0;
        }
        return shared;
    }
}
