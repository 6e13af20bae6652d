import java.lang.ref.WeakReference;

/**
 * Objects whose holders are known when the program ends: static fields, a frame of a thread that runs on, and other objects. Objects that nothing holds any more are known as well.
 *
 * <pre>
 * HeldObjects.first                 a chain of 10 nodes
 * HeldObjects.TABLE                 an array with 5 items
 * Holder.only (another class)       a node that holds an item
 * a frame of a daemon thread        a local object, which holds an item
 * dropped                           a chain of 7 nodes, 3 items of the table that were replaced
 * </pre>
 */
final class HeldObjects {
    static final class Node { Node next; Object item; }
    static final class Item { int value; }
    static final class Local { Item item; }
    static final class Holder { static Node only; }

    static Node first;
    static final Item[] TABLE = new Item[8];
    static Node dropped;
    static volatile boolean isHeld;
    static Object sink;

    static Node chain(int length) {
        Node chain = null;
        for (int i = 0; i < length; i++) {
            Node node = new Node();
            node.next = chain;
            chain = node;
        }
        return chain;
    }

    public static void main(String[] words) throws Exception {
        first = chain(10);
        dropped = chain(7);
        for (int i = 0; i < 5; i++) {
            TABLE[i] = new Item();
        }
        for (int i = 0; i < 3; i++) {
            TABLE[i] = new Item();
        }
        Holder.only = new Node();
        Holder.only.item = new Item();
        Thread holding = new Thread(() -> {
            Local local = new Local();
            local.item = new Item();
            isHeld = true;
            while (true) {
                try {
                    Thread.sleep(1000);
                } catch (InterruptedException ended) {
                    System.out.println(local.item.value);
                }
            }
        });
        holding.setDaemon(true);
        holding.start();
        while (!isHeld) {
            Thread.sleep(1);
        }
        for (int i = 0; i < 100_000; i++) {
            sink = new byte[100];
        }
        WeakReference<Node> weak = new WeakReference<>(dropped);
        dropped = null;
        System.out.println("done " + (weak.get() != null));
    }
}
