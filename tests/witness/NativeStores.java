/**
 * Native code stores each of ROUNDS values into a field, an element, a static field, and the three elements of a new array. Nothing else is done with a value but a store that
 * the VM refuses.
 */
final class NativeStores {
    static final int ROUNDS = 300;

    static final class Value { int number; }
    static final class Cell { Object value; }
    static Object shared;
    static Object sink;

    static native Object[] store(Cell cell, Object[] array, int index, Object value);

    static native void refused(Cell[] cells, Object value);

    public static void main(String[] words) {
        System.load(words[0]);
        Cell cell = new Cell();
        Object[] array = new Object[8];
        Cell[] cells = new Cell[1];
        for (int i = 0; i < ROUNDS; i++) {
            Value value = new Value();
            if (store(cell, array, i % 8, value).length != 3) {
                throw new AssertionError();
            }
            try {
                refused(cells, value);
                throw new AssertionError("a value in an array of cells");
            } catch (ArrayStoreException expected) {
                sink = new byte[20_000];
            }
        }
        System.out.println("done");
    }
}
