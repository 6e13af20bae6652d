/**
 * Objects in the page at the lowest address of the heap, which ZGC without generations calls 0: after each collection the thread has no TLAB; an array that fits into none comes first, and
 * then small objects, some of which are in the first page.
 *
 * <p>{@code java FirstPage ROUNDS}. At the end the program collects twice and prints how many objects it keeps.
 */
public final class FirstPage {
    private static final int MEDIUM = 300_000;
    private static final int LENGTH = 500;

    private static final class Node {
        final Node next;

        Node(Node next) {
            this.next = next;
        }
    }

    private static final Node[] KEPT = new Node[100];
    private static byte[] medium;

    private FirstPage() {}

    /** The words of the class comment. */
    public static void main(String[] words) {
        for (int round = 0; round < Integer.parseInt(words[0]); round++) {
            System.gc();
            medium = new byte[MEDIUM + round];
            Node node = null;
            for (int length = 0; length < LENGTH; length++) {
                node = new Node(node);
            }
            KEPT[round % KEPT.length] = node;
        }
        System.gc();
        System.gc();
        int live = 0;
        for (Node kept : KEPT) {
            for (Node node = kept; node != null; node = node.next) {
                live++;
            }
        }
        System.out.println("Node " + live);
    }
}
