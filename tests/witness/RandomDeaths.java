import java.lang.ref.WeakReference;

/**
 * Small random programs on a graph of nodes. {@code truth PROGRAMS STEPS SEED}: after every step a full collection, and each node that a weak reference has lost is printed with
 * that step: when it died; {@code made N} is how many nodes there are after each step. {@code traced ...}: the same steps without these collections, each after a {@link Step}, with garbage in between.
 *
 * <p>A fifth argument {@code records}: with what only a record of each update shows, copies of parts of arrays. {@code threads}: other threads take steps, too.
 *
 * <p>Nodes are numbered in the order of their birth. Each program begins with a step that lets go of all nodes of the one before.
 */
final class RandomDeaths {
    static class Node {
        final int id;
        int value;
        Node left;
        Node right;
        Node[] links;

        Node(int id) { this.id = id; }
    }

    /** One whose constructor stores into the fields of its superclass. */
    static final class Pair extends Node {
        Pair(int id, Node left, Node right) {
            super(id);
            this.left = left;
            this.right = right;
        }
    }

    static final class Step {
        int number;
    }

    /** It is thrown with a node. */
    static final class Trouble extends RuntimeException {
        final Node node;
        Trouble(Node node) {
            super(null, null, false, false);
            this.node = node;
        }
    }

    /** Takes steps for others, one at a time. */
    static final class Worker extends Thread {
        private boolean isAsked;

        synchronized void ask() throws InterruptedException {
            isAsked = true;
            notifyAll();
            while (isAsked) {
                wait();
            }
        }

        @Override
        public synchronized void run() {
            try {
                for (;;) {
                    while (!isAsked) {
                        wait();
                    }
                    operations();
                    isAsked = false;
                    notifyAll();
                }
            } catch (InterruptedException end) {
                isAsked = false;
            }
        }
    }

    /** Operations without records, and with them. */
    static final int PLAIN = 12;
    static final int ALL = 14;

    static final Node[] ROOTS = new Node[5];
    static Worker[] workers = {};
    static Node first;
    static Node second;
    static Step step;
    static Object sink;
    static int made;
    static int kinds;
    static long state;

    public static void main(String[] arguments) throws InterruptedException {
        boolean truth = arguments[0].equals("truth");
        int programs = Integer.parseInt(arguments[1]);
        int steps = Integer.parseInt(arguments[2]);
        state = Long.parseLong(arguments[3]) * 2 + 1;
        String more = arguments.length > 4 ? arguments[4] : "";
        kinds = more.equals("records") || more.equals("threads") ? ALL : PLAIN;
        if (more.equals("threads")) {
            workers = new Worker[] {new Worker(), new Worker()};
            for (Worker worker : workers) {
                worker.setDaemon(true);
                worker.start();
            }
        }
        // A step makes six nodes at the most.
        WeakReference<?>[] watched = new WeakReference<?>[truth ? programs * steps * 6 : 0];
        int number = 0;
        for (int program = 0; program <= programs; program++) {
            for (int at = 0; at < (program < programs ? steps : 1); at++, number++) {
                int before = made;
                step(number, at == 0);
                if (truth) {
                    System.out.println("made " + made);
                    watch(watched, before);
                    System.gc();
                    report(watched, number);
                } else {
                    garbage();
                }
            }
        }
        System.gc();
        System.out.println("nodes " + made);
    }

    static void step(int number, boolean reset) throws InterruptedException {
        Step next = new Step();
        next.number = number;
        step = next;
        if (reset) {
            for (int i = 0; i < ROOTS.length; i++) {
                ROOTS[i] = null;
            }
            first = null;
            second = null;
        }
        int taker = workers.length == 0 ? 0 : below(workers.length + 1);
        if (taker == 0) {
            operations();
        } else {
            // The clock that orders threads goes on between the steps.
            Thread.sleep(2);
            workers[taker - 1].ask();
        }
        if (workers.length > 0) {
            Thread.sleep(2);
        }
    }

    static void operations() {
        for (int i = below(3); i >= 0; i--) {
            operate();
        }
    }

    static int below(int limit) {
        // xorshift64 (Marsaglia 2003)
        state ^= state << 13;
        state ^= state >>> 7;
        state ^= state << 17;
        return (int) ((state >>> 33) % limit);
    }

    static void operate() {
        switch (below(kinds)) {
            case 0: store(new Node(made++)); break;
            case 1: store(new Pair(made++, find(), find())); break;
            case 2: store(linked()); break;
            case 3: store(find()); break;
            case 4: store(null); break;
            case 5: touch(find()); break;
            case 6: touch(new Pair(made++, find(), null)); break;
            case 7: swap(); break;
            case 8: fail(find()); break;
            case 9: lock(find()); break;
            case 10: copy(find()); break;
            case 12: shift(); break;
            case 13: overwrite(find()); break;
            default: ROOTS[below(ROOTS.length)] = null; break;
        }
    }

    static Node linked() {
        Node node = new Node(made++);
        node.links = new Node[3];
        node.links[below(3)] = find();
        node.links[below(3)] = new Node(made++);
        return node;
    }

    /** A node that can be reached, or null. */
    static Node find() {
        Node node = root();
        for (int i = below(5); i > 0 && node != null; i--) {
            Node next = next(node);
            if (next == null) {
                return node;
            }
            node = next;
        }
        return node;
    }

    static Node root() {
        switch (below(4)) {
            case 0: return first;
            case 1: return second;
            default: return ROOTS[below(ROOTS.length)];
        }
    }

    static Node next(Node node) {
        switch (below(3)) {
            case 0: return node.left;
            case 1: return node.right;
            default: return node.links == null ? null : node.links[below(node.links.length)];
        }
    }

    /** Overwrites a reference somewhere. */
    static void store(Node node) {
        Node holder = below(2) == 0 ? null : find();
        if (holder == null) {
            switch (below(4)) {
                case 0: first = node; break;
                case 1: second = node; break;
                default: ROOTS[below(ROOTS.length)] = node; break;
            }
            return;
        }
        switch (below(3)) {
            case 0: holder.left = node; break;
            case 1: holder.right = node; break;
            default:
                if (holder.links == null) {
                    holder.links = new Node[2];
                }
                holder.links[below(holder.links.length)] = node;
                break;
        }
    }

    static void touch(Node node) {
        if (node != null) {
            node.value++;
        }
    }

    static void swap() {
        int one = below(ROOTS.length);
        int other = below(ROOTS.length);
        Node node = ROOTS[one];
        ROOTS[one] = ROOTS[other];
        ROOTS[other] = node;
    }

    /** The nodes that an exception ends the use of, or goes on with. */
    static void fail(Node held) {
        try {
            throwOne(new Node(made++), held);
        } catch (Trouble trouble) {
            if (below(2) == 0) {
                store(trouble.node);
            }
        }
    }

    static void throwOne(Node local, Node other) {
        local.left = other;
        throw new Trouble(below(2) == 0 ? local : other);
    }

    static void lock(Node node) {
        if (node == null) {
            synchronized (new Node(made++)) {
                node = null;
            }
            return;
        }
        synchronized (node) {
            node.value++;
        }
    }

    /** The array is another one then, with the same elements. */
    static void copy(Node node) {
        if (node != null && node.links != null) {
            node.links = node.links.clone();
        }
    }

    static void shift() {
        System.arraycopy(ROOTS, 1, ROOTS, 0, ROOTS.length - 1);
    }

    static void overwrite(Node node) {
        if (node != null && node.links != null) {
            System.arraycopy(ROOTS, below(3), node.links, 0, 2);
        }
    }

    static void garbage() {
        for (int i = 0; i < 300; i++) {
            sink = new byte[100];
        }
    }

    static void watch(WeakReference<?>[] watched, int before) {
        // Nodes that are still held. The others have died in this step.
        for (int i = 0; i < ROOTS.length; i++) {
            watchAll(ROOTS[i], watched, before);
        }
        watchAll(first, watched, before);
        watchAll(second, watched, before);
    }

    static void watchAll(Node node, WeakReference<?>[] watched, int before) {
        if (node == null || node.value < 0) {
            return;
        }
        if (node.id >= before && watched[node.id] == null) {
            watched[node.id] = new WeakReference<>(node);
        }
        int value = node.value;
        node.value = -1;
        watchAll(node.left, watched, before);
        watchAll(node.right, watched, before);
        if (node.links != null) {
            for (Node link : node.links) {
                watchAll(link, watched, before);
            }
        }
        node.value = value;
    }

    static int reported;

    static void report(WeakReference<?>[] watched, int number) {
        for (int i = 0; i < made; i++) {
            boolean isNew = i >= reported && watched[i] == null;
            if (isNew || watched[i] != null && watched[i].refersTo(null)) {
                System.out.println(i + " " + number);
                watched[i] = null;
            }
        }
        reported = made;
    }
}
