package ducktrack.known;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.Externalizable;
import java.io.IOException;
import java.io.ObjectInput;
import java.io.ObjectInputStream;
import java.io.ObjectOutput;
import java.io.ObjectOutputStream;
import java.io.Serializable;

// PROGRAM
// EXPECT
//   node     - deserialization Node   30_003
//   nodes    - deserialization|array-reflection|newarray Node[] 10_001
//   child    - deserialization Child  10_001
//   external - deserialization|reflection External 10_001 bytes=24
//   base     Base.<init> new Marker 20_002 bytes=16
// END
/**
 * Deserialization, 10,000 times: a graph of three nodes with an array, a class whose superclass is not serializable (its constructor runs
 * and allocates), and an externalizable one. The objects written, one each, are among the counts.
 */
final class Deserialization {
    private static final int ROUNDS = 10_000;

    static final class Node implements Serializable {
        private static final long serialVersionUID = 1;
        int value;
        Node[] next;
        Object child;
    }

    static final class Marker {
        int a;
    }

    static class Base {
        transient Object marker = new Marker(); // SITE base
    }

    static final class Child extends Base implements Serializable {
        private static final long serialVersionUID = 1;
        int value = 5;
    }

    /** Has a superclass with a constructor that allocates as well, and is made through its own public constructor. */
    public static final class External extends Base implements Externalizable {
        private int value;

        /** For deserialization. */
        public External() {}

        @Override
        public void writeExternal(ObjectOutput out) throws IOException {
            out.writeInt(7);
        }

        @Override
        public void readExternal(ObjectInput in) throws IOException {
            value = in.readInt();
        }
    }

    public static void main(String[] words) throws Exception {
        byte[] graph = write(graph());
        byte[] external = write(new External());
        long sum = 0;
        for (int i = 0; i < ROUNDS; i++) {
            Node node = (Node) read(graph);
            sum += node.next[1].value + (((Child) node.child).marker == null ? 1 : 0);
            sum += ((External) read(external)).value;
        }
        Known.of(Deserialization.class)
                .count("node", 3 * ROUNDS + 3).count("nodes", ROUNDS + 1).count("child", ROUNDS + 1).count("external", ROUNDS + 1)
                .count("base", 2 * ROUNDS + 2)
                .done(sum);
    }

    private static Node graph() {
        Node root = new Node();
        root.next = new Node[] {new Node(), new Node()};
        root.next[1].value = 3;
        root.child = new Child();
        return root;
    }

    private static byte[] write(Object object) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeObject(object);
        }
        return bytes.toByteArray();
    }

    private static Object read(byte[] bytes) throws IOException, ClassNotFoundException {
        try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes))) {
            return in.readObject();
        }
    }
}
