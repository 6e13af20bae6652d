import planted.library.PriceBook;

/** Asks a library for the prices of ever new names: what leaks is made, added and held by the library. */
public class PriceAsker {
    private static byte[] garbage;

    public static void main(String[] arguments) {
        long sum = 0;
        for (int step = 0; step < Integer.parseInt(arguments[0]); step++) {
            sum += ask(step);
            for (int at = 0; at < 4; at++) {
                garbage = new byte[1_000];
            }
        }
        System.out.println(sum);
    }

    private static int ask(int step) {
        return PriceBook.price("item " + step).cents;
    }
}
