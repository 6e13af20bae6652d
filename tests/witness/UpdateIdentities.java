import java.io.DataOutputStream;
import java.io.FileOutputStream;
import java.io.BufferedOutputStream;
import java.util.Random;

/**
 * Threads that update references to nodes of their own, and note each update by the numbers of the nodes: what was recorded must say the same. Another thread makes garbage, so
 * that collections come at any time.
 *
 * <p>{@code UpdateIdentities FOLDER STEPS}: thread k writes FOLDER/k, four ints for each update: what was updated (0, 1: a field of a node, 2: an element, 3: a static field, 4: an
 * element by {@code System.arraycopy}), the number of the node whose field it was (or -1), the old and the new target (-1: null). With {@code -Dvirtual} they are virtual threads.
 */
final class UpdateIdentities {
    static final int THREADS = 2;
    static final int WINDOW = 200;

    static final class Node {
        final int id;
        Node next;
        Node other;

        Node(int id) {
            this.id = id;
        }
    }

    static Node first;
    static Node second;
    static volatile boolean over;
    static volatile Object garbage;

    static final class Worker implements Runnable {
        final Random random;
        final int number;
        final int steps;
        final int[] log;
        final Node[] window = new Node[WINDOW];
        final Node[] pair = new Node[2];
        int noted;
        int nodes;

        Worker(int number, int steps) {
            this.number = number;
            this.steps = steps;
            this.random = new Random(number + 17);
            this.log = new int[steps * 24 + 64];
        }

        static int id(Node node) {
            return node == null ? -1 : node.id;
        }

        void note(int what, int source, int old, int now) {
            log[noted++] = what;
            log[noted++] = source;
            log[noted++] = old;
            log[noted++] = now;
        }

        Node any() {
            return window[random.nextInt(WINDOW)];
        }

        void element(Node[] array, int index, Node value) {
            Node old = array[index];
            if (old != null || value != null) {
                note(2, -1, id(old), id(value));
            }
            array[index] = value;
        }

        void step() {
            Node node = new Node(nodes++);
            Node target = any();
            note(0, node.id, -1, id(target));
            node.next = target;
            element(window, random.nextInt(WINDOW), node);
            Node source = any();
            if (source != null) {
                Node now = random.nextInt(4) == 0 ? null : any();
                note(1, source.id, id(source.other), id(now));
                source.other = now;
            }
            if (number == 0) {
                note(3, -1, id(first), node.id);
                first = node;
            } else {
                note(3, -1, id(second), node.id);
                second = node;
            }
            Node a = any();
            Node b = pair[1];
            // arraycopy of one element: the second becomes the first.
            if (pair[0] != b) {
                note(4, -1, id(pair[0]), id(b));
            }
            System.arraycopy(pair, 1, pair, 0, 1);
            element(pair, 1, a);
        }

        @Override
        public void run() {
            for (int i = 0; i < steps; i++) {
                step();
            }
        }
    }

    static Thread start(Runnable worker, String name) throws Exception {
        if (System.getProperty("virtual") != null) {
            return (Thread) Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, worker);
        }
        Thread thread = new Thread(worker, name);
        thread.start();
        return thread;
    }

    public static void main(String[] arguments) throws Exception {
        Thread maker = new Thread(() -> {
            while (!over) {
                garbage = new byte[700];
            }
        }, "garbage");
        maker.start();
        Worker[] workers = new Worker[THREADS];
        Thread[] threads = new Thread[THREADS];
        for (int i = 0; i < THREADS; i++) {
            workers[i] = new Worker(i, Integer.parseInt(arguments[1]));
            threads[i] = start(workers[i], "oracle-" + "ab".charAt(i));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        over = true;
        maker.join();
        for (Worker worker : workers) {
            try (DataOutputStream out = new DataOutputStream(new BufferedOutputStream(new FileOutputStream(arguments[0] + "/" + worker.number)))) {
                for (int i = 0; i < worker.noted; i++) {
                    out.writeInt(worker.log[i]);
                }
            }
        }
    }
}
