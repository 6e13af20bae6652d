import java.lang.management.ManagementFactory;
import java.util.*;
import java.util.function.*;
import java.util.stream.*;

/** Bytes that reach the heap in a pass of each shape in compiled code, by the JVM's own counter of the thread: a line each. */
public class CompiledAllocations {
    interface Shape { int pass(int i); }
    static final com.sun.management.ThreadMXBean THREADS = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
    static int n;
    static String name = "name", other = "other";
    static final List<String> LIST = Arrays.asList("a", "b", "c");
    static final ArrayList<Integer> INTS = new ArrayList<>(Arrays.asList(1, 2, 3, 4));
    static final int[] ARRAY = {1, 2, 3, 4};
    String field = "field";
    String getField() { return field; }
    static final CompiledAllocations K = new CompiledAllocations();
    static final class P { final int x, y; P(int x, int y) { this.x = x; this.y = y; } int sum() { return x + y; } P plus(P o) { return new P(x + o.x, y + o.y); } }
    static int sum(int... xs) { int s = 0; for (int x : xs) s += x; return s; }
    static int len(Object... xs) { return xs.length; }

    static int two(int i) { return ("a" + i).length(); }
    static int three(int i) { return ("a" + name + i).length(); }
    static int long5(int i) { return ("a somewhat long text " + name + ':' + i + " and " + other + " at the end").length(); }
    static int getter(int i) { return ("x" + K.getField() + i).length(); }
    static int plusEq(int i) { String s = name; s += i; s += other; return s.length(); }
    static int longArg(int i) { return ("a" + (long) i).length(); }
    static int objArg(int i) { return ("a" + (Object) name + i).length(); }
    static int boolArg(int i) { return ("a" + (i > 3) + i).length(); }
    static int charArg(int i) { return ("a" + (char) ('a' + i) + i).length(); }
    static int nested(int i) { return ("a" + ("b" + i) + i).length(); }
    static int ternary(int i) { return ("a" + (i > 3 ? name : other) + i).length(); }
    static int explicit(int i) { return new StringBuilder().append("a").append(i).append(name).toString().length(); }
    static int explicitCap(int i) { return new StringBuilder("abc").append(i).append(name).toString().length(); }
    static int statements(int i) { StringBuilder b = new StringBuilder(); b.append("a"); b.append(i); return b.toString().length(); }
    static int buffer(int i) { return new StringBuffer().append("a").append(i).append(name).toString().length(); }
    static int boxed(int i) { Integer b = i + 1000; return b; }
    static int boxedSum(int i) { Integer s = 0; for (int k = 0; k < 4; k++) s += k + 1000; return s; }
    static int boxedLong(int i) { Long b = (long) i + 1000; return b.intValue(); }
    static int varargs(int i) { return sum(i, 1, 2); }
    static int varargsO(int i) { return len(name, other, K); }
    static int iterator(int i) { int s = 0; for (int x : INTS) s += x; return s; }
    static int iteratorL(int i) { int s = 0; for (String x : LIST) s += x.length(); return s; }
    static int lambda(int i) { IntUnaryOperator f = x -> x + i; return f.applyAsInt(3); }
    static int lambdaLoop(int i) { int s = 0; for (int k = 0; k < 4; k++) { int kk = k; IntUnaryOperator f = x -> x + i + kk; s += f.applyAsInt(3); } return s; }
    static int methodRef(int i) { Supplier<String> f = K::getField; return f.get().length(); }
    static int stream(int i) { return IntStream.of(ARRAY).map(x -> x + i).sum(); }
    static int streamList(int i) { return INTS.stream().mapToInt(x -> x + i).sum(); }
    static int optional(int i) { return Optional.of(name).map(String::length).orElse(3); }
    static int ea1(int i) { return new P(i, 1).sum(); }
    static int ea2(int i) { return new P(i, 1).plus(new P(2, i)).sum(); }
    static int eaLoop1(int i) { int s = 0; for (int k = 0; k < 10; k++) s += new P(k, i).sum(); return s; }
    static int eaLoop3(int i) { int s = 0; for (int k = 0; k < 10; k++) s += new P(k, i).plus(new P(1, 2)).sum(); return s; }
    static int eaLoop5(int i) { int s = 0; for (int k = 0; k < 10; k++) s += new P(k, i).plus(new P(1, 2)).plus(new P(i, 2)).sum(); return s; }
    static int eaArray(int i) { int[] a = new int[4]; a[i & 3] = i; return a[0] + a[1]; }
    static int eaArrayC(int i) { int[] a = {i, 2, 3}; return a[0] + a[1]; }
    static int clone4(int i) { int[] a = ARRAY.clone(); return a[0] + i; }
    static int copyOf(int i) { int[] a = Arrays.copyOf(ARRAY, 6); return a[0] + i; }
    static int substring(int i) { return "abcdefghijk".substring(i & 7).length(); }
    static int valueOf(int i) { return String.valueOf(i).length(); }
    static int sbReused(int i) { StringBuilder b = new StringBuilder(40); for (int k = 0; k < 4; k++) b.append(k); return b.length(); }
    static int exception(int i) { try { if (i >= 0) throw new E(); return 1; } catch (E e) { return i; } }
    static final class E extends RuntimeException { E() { super(null, null, false, false); } }
    static int arrayList(int i) { ArrayList<String> l = new ArrayList<>(); l.add(name); l.add(other); return l.size(); }
    static int hashMap(int i) { HashMap<String, String> m = new HashMap<>(); m.put(name, other); return m.size(); }
    static int asList(int i) { return Arrays.asList(name, other).size(); }

    static void measure(String name, Shape shape) {
        for (int k = 0; k < 60; k++) run(shape, 2000);
        try { Thread.sleep(30); } catch (InterruptedException e) { }
        for (int k = 0; k < 20; k++) run(shape, 2000);
        long id = Thread.currentThread().getId(), before = THREADS.getThreadAllocatedBytes(id);
        for (int k = 0; k < 50; k++) run(shape, 2000);
        System.out.println(name + " " + (THREADS.getThreadAllocatedBytes(id) - before) / 100000.0);
    }
    static void run(Shape shape, int times) { int s = 0; for (int i = 0; i < times; i++) s += shape.pass(i & 7); n += s; }

    public static void main(String[] a) throws Throwable {
        Set<String> only = new HashSet<>(Arrays.asList(a));
        for (java.lang.reflect.Method m : CompiledAllocations.class.getDeclaredMethods()) {
            if (m.isSynthetic() || m.getParameterCount() != 1 || m.getParameterTypes()[0] != int.class || m.getReturnType() != int.class) continue;
            if (!only.isEmpty() && !only.contains(m.getName())) continue;
            // A class of its own for each shape: its call of the shape is the only one in its loop.
            measure(m.getName(), make(m.getName()));
        }
    }
    static Shape make(String name) throws Throwable {
        java.lang.invoke.MethodHandles.Lookup l = java.lang.invoke.MethodHandles.lookup();
        java.lang.invoke.MethodType t = java.lang.invoke.MethodType.methodType(int.class, int.class);
        java.lang.invoke.MethodHandle h = l.findStatic(CompiledAllocations.class, name, t);
        return (Shape) java.lang.invoke.LambdaMetafactory.metafactory(l, "pass", java.lang.invoke.MethodType.methodType(Shape.class), t, h, t).getTarget().invoke();
    }
}
