import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Expressions that are parsed, simplified, printed and sorted: recursion, callers of library code, and methods that end by exceptions. Always the same work. */
public class StackTree {
    static final class Node {
        final char operation;
        final Node left;
        final Node right;
        final int value;

        Node(char operation, Node left, Node right, int value) {
            this.operation = operation;
            this.left = left;
            this.right = right;
            this.value = value;
        }
    }

    private static int seed = 17;

    static int random(int bound) {
        seed = seed * 1664525 + 1013904223;
        return (seed >>> 8) % bound;
    }

    static Node build(int depth) {
        if (depth == 0 || random(5) == 0) {
            return new Node('v', null, null, random(100));
        }
        return new Node("+-*".charAt(random(3)), build(depth - 1), build(depth - 1), 0);
    }

    static String print(Node node) {
        if (node.operation == 'v') {
            return Integer.toString(node.value);
        }
        return "(" + print(node.left) + node.operation + print(node.right) + ")";
    }

    static final class Parser {
        final String text;
        int at;

        Parser(String text) {
            this.text = text;
        }

        Node parse() {
            if (text.charAt(at) != '(') {
                return number();
            }
            at++;
            Node left = parse();
            char operation = text.charAt(at++);
            Node right = parse();
            at++;
            return new Node(operation, left, right, 0);
        }

        Node number() {
            int from = at;
            while (at < text.length() && Character.isDigit(text.charAt(at))) {
                at++;
            }
            return new Node('v', null, null, Integer.parseInt(text.substring(from, at)));
        }
    }

    static Node simplify(Node node) {
        if (node.operation == 'v') {
            return node;
        }
        Node left = simplify(node.left);
        Node right = simplify(node.right);
        if (node.operation == '*' && left.operation == 'v' && left.value == 0) {
            return left;
        }
        return new Node(node.operation, left, right, 0);
    }

    static int divide(Node node, int by) {
        int[] digits = new int[4];
        if (by == 0) {
            throw new ArithmeticException(print(node));
        }
        digits[by % 4] = node.value;
        return digits[by % 4] / by;
    }

    static int guarded(Node node, int by) {
        try {
            return divide(node, by);
        } catch (ArithmeticException error) {
            return error.getMessage().length();
        }
    }

    static void count(Map<String, Integer> words, Node node) {
        words.merge(Character.toString(node.operation), 1, Integer::sum);
        if (node.operation != 'v') {
            count(words, node.left);
            count(words, node.right);
        }
    }

    static List<String> sorted(List<Node> nodes) {
        List<String> texts = new ArrayList<>();
        for (Node node : nodes) {
            texts.add(print(node));
        }
        texts.sort((a, b) -> Integer.compare(key(a).length(), key(b).length()));
        return texts;
    }

    static String key(String text) {
        return text.substring(0, text.length() / 2);
    }

    static int round() {
        List<Node> nodes = new ArrayList<>();
        Map<String, Integer> words = new HashMap<>();
        int sum = 0;
        for (int i = 0; i < 8; i++) {
            Node node = new Parser(print(build(4))).parse();
            nodes.add(simplify(node));
            count(words, node);
            sum += guarded(node, random(3));
        }
        return sum + sorted(nodes).get(0).length() + words.size();
    }

    public static void main(String[] arguments) {
        int sum = 0;
        for (int i = Integer.parseInt(arguments[0]); i > 0; i--) {
            sum += round();
        }
        System.out.println(sum);
    }
}
