package planted.library;

import java.util.HashMap;
import java.util.Map;

/** A library that keeps the price of each name that a program asks for. */
public final class PriceBook {
    private static final Map<String, Price> PRICES = new HashMap<>();

    private PriceBook() {}

    public static Price price(String name) {
        Price known = PRICES.get(name);
        if (known == null) {
            known = new Price(name.hashCode() & 0xffff);
            PRICES.put(name, known);
        }
        return known;
    }

    /** A price, with what it was made of. */
    public static final class Price {
        public final int cents;
        final byte[] parts = new byte[200];

        Price(int cents) {
            this.cents = cents;
        }
    }
}
