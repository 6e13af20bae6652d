import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.LongBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Fills the heap until there is no room for the smallest object, and says so in a file that is mapped as memory, for which it needs no object:
 *
 * <pre>
 * FullHeap uncaught FILE   an OutOfMemoryError ends the program; the heap stays full. Word 3 of the file is the number of nodes
 * FullHeap caught FILE     keeps the heap full until word 1 is not 0, then frees it, makes AFTER objects of Marked and ends.
 *                          Word 0 is 1 while the heap is full
 * </pre>
 */
public final class FullHeap {
    static final int AFTER = 1000;
    static Node kept;
    static Object[] large;
    static volatile Object sink;
    /** What is mapped is not unmapped while the heap is full. */
    static LongBuffer words;

    /** 16 bytes, as small as an object can be that refers to another one. */
    static final class Node {
        Node next;
    }

    static final class Marked {
        int value;
    }

    private FullHeap() {}

    static void nodes(LongBuffer words) {
        for (long made = 1; ; made++) {
            Node node = new Node();
            node.next = kept;
            kept = node;
            words.put(3, made);
        }
    }

    /** Most of the heap, so that the rest is soon full. */
    static void most() {
        while (Runtime.getRuntime().freeMemory() > 2 << 20) {
            Object[] array = new Object[1 << 14];
            array[0] = large;
            large = array;
        }
    }

    static void arrays(int length) {
        while (true) {
            Object[] array = new Object[length];
            array[0] = large;
            large = array;
        }
    }

    /** Large arrays first, so that the last ones, after which there are collections, are few. */
    static void fill(LongBuffer words) {
        for (int length = 1 << 16; length > 1; length /= 4) {
            try {
                arrays(length);
            } catch (OutOfMemoryError full) {
                // The next ones are smaller.
            }
        }
        try {
            nodes(words);
        } catch (OutOfMemoryError full) {
            // Now it is full.
        }
    }

    static void await(LongBuffer words, int index) {
        while (words.get(index) == 0) {
            Thread.onSpinWait();
        }
    }

    public static void main(String[] told) throws Exception {
        try (FileChannel channel = FileChannel.open(
                Path.of(told[1]), StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            ByteBuffer bytes = channel.map(FileChannel.MapMode.READ_WRITE, 0, 64);
            words = bytes.order(ByteOrder.LITTLE_ENDIAN).asLongBuffer();
        }
        // Everything that is used below is loaded and linked.
        await(words.put(2, 1), 2);
        if (told[0].equals("uncaught")) {
            most();
            nodes(words);
        }
        fill(words);
        words.put(0, 1);
        await(words, 1);
        kept = null;
        large = null;
        for (int i = 0; i < AFTER; i++) {
            sink = new Marked();
        }
    }
}
