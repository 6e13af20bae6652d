/** The first value of each type that is boxed is in a cache that does not exist yet: the cache is made meanwhile, and is no object of this program. */
final class FirstBoxes {
    static final int BOXES = 1_000;

    public static void main(String[] words) {
        long sum = 0;
        for (int i = 0; i < 2 * BOXES; i++) {
            int value = i % 2 == 0 ? 0 : 1000 + i;
            sum += boxed((long) value) + boxed((short) value) + boxed((char) value) + boxed(value);
        }
        System.out.println(sum);
    }

    private static long boxed(long value) {
        Long box = value;
        return box;
    }

    private static long boxed(short value) {
        Short box = value;
        return box;
    }

    private static long boxed(char value) {
        Character box = value;
        return box;
    }

    private static long boxed(int value) {
        Integer box = value;
        return box;
    }
}
