import java.lang.reflect.Field;
import java.util.Random;
import sun.misc.Unsafe;

/**
 * Objects whose addresses the program reads by itself: from the references in its table, without the collector's colours.
 *
 * <p>{@code java Addresses SEED STEPS single|generational}, by the form of ZGC. While objects come and go, the program collects now and then; at the end it collects twice, and prints
 * the time, and the class and address of each object.
 */
public final class Addresses {
    private static final class First {
        int number;
    }

    private static final class Second {
        long number;
        Object other;
    }

    private static final Object[] TABLE = new Object[20_000];

    /** A heap below 4 TB: four bits above are colours. */
    private static final long SINGLE = (1L << 42) - 1;

    private Addresses() {}

    /** Of the bits 12 to 15 the lowest that is set is a colour, and the address begins after it ({@code zAddress.hpp}). */
    private static long withoutGenerationalColours(long reference) {
        return reference >>> Long.numberOfTrailingZeros(reference >>> 12) + 13;
    }

    /** The words of the class comment. */
    public static void main(String[] words) throws ReflectiveOperationException {
        Random random = new Random(Long.parseLong(words[0]));
        int steps = Integer.parseInt(words[1]);
        for (int step = 0; step < steps; step++) {
            for (int index = 0; index < TABLE.length; index++) {
                int slot = random.nextInt(TABLE.length);
                switch (random.nextInt(5)) {
                    case 0: TABLE[slot] = null; break;
                    case 1: TABLE[slot] = new First(); break;
                    case 2: TABLE[slot] = new Second(); break;
                    case 3: TABLE[slot] = new byte[random.nextInt(2000)]; break;
                    default: break;
                }
            }
            if (step % 7 == 0) {
                System.gc();
            }
        }
        System.gc();
        System.gc();
        print(words[2].equals("single"));
    }

    private static void print(boolean isSingle) throws ReflectiveOperationException {
        Field field = Unsafe.class.getDeclaredField("theUnsafe");
        field.setAccessible(true);
        Unsafe unsafe = (Unsafe) field.get(null);
        long[] addresses = new long[TABLE.length];
        long base = unsafe.arrayBaseOffset(Object[].class);
        // The read lets the collector bring the reference up to date; nothing moves after the last cycle.
        for (int index = 0; index < addresses.length; index++) {
            if (TABLE[index] != null) {
                long reference = unsafe.getLong(TABLE, base + 8L * index);
                addresses[index] = isSingle ? reference & SINGLE : withoutGenerationalColours(reference);
            }
        }
        StringBuilder text = new StringBuilder("at " + System.currentTimeMillis() + "\n");
        for (int index = 0; index < addresses.length; index++) {
            Object object = TABLE[index];
            if (object instanceof First || object instanceof Second) {
                text.append(object.getClass().getName()).append(' ').append(addresses[index]).append('\n');
            }
        }
        System.out.print(text);
    }
}
