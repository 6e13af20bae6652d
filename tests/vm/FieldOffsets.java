import java.io.InputStream;
import java.io.PrintWriter;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.net.URI;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Writes where the VM has the fields of many classes, as jdk.internal.misc.Unsafe.objectFieldOffset says: its own of all shapes, and every class of
 * java.base. One line per field, "class field descriptor offset"; then a collection. Argument: the file to write.
 */
public class FieldOffsets {
    static class Empty { }
    static class Bytes { byte one; }
    static class GapFiller extends Bytes { byte two; short three; int four; long five; Object six; }
    static class Long8 { long value; static long shared; static final int CONSTANT = 7; }
    static class AfterLong extends Long8 { boolean flag; Object reference; int[] array; }
    static class Generic<T extends Comparable<T>> {
        T value;
        List<T> values;
        static final String NAME = "generic";
        final int number = 5;
        volatile Map<String, List<T>> map;
        transient char letter;
    }
    static class Floats extends Generic<String> { float f; double d; long l; String[][] names; }
    record Point(int x, double y, String name) { }
    enum Color { RED; int rank; }
    static class Template { int a; Object b; long c; byte d; }

    /** More fields than one byte of an index can say. */
    static class Many {
        int a0, a1, a2, a3, a4, a5, a6, a7, a8, a9; long b0, b1, b2, b3, b4, b5, b6, b7, b8, b9;
        Object c0, c1, c2, c3, c4, c5, c6, c7, c8, c9; byte d0, d1, d2, d3, d4, d5, d6, d7, d8, d9;
        List<String> e0, e1, e2, e3, e4, e5, e6, e7, e8, e9; short f0, f1, f2, f3, f4, f5, f6, f7, f8, f9;
        double g0, g1, g2, g3, g4, g5, g6, g7, g8, g9; char h0, h1, h2, h3, h4, h5, h6, h7, h8, h9;
        long[] i0, i1, i2, i3, i4, i5, i6, i7, i8, i9; boolean j0, j1, j2, j3, j4, j5, j6, j7, j8, j9;
        List<Map<String, Object>> k0, k1, k2, k3, k4, k5, k6, k7, k8, k9; float l0, l1, l2, l3, l4, l5, l6, l7, l8, l9;
    }

    static Object unsafe;
    static Method offset;
    static final List<Class<?>> KEPT = new ArrayList<>();

    public static void main(String[] arguments) throws Exception {
        Class<?> type = Class.forName("jdk.internal.misc.Unsafe");
        unsafe = type.getMethod("getUnsafe").invoke(null);
        offset = type.getMethod("objectFieldOffset", Field.class);
        for (Class<?> own : new Class<?>[] {
                Empty.class, Bytes.class, GapFiller.class, Long8.class, AfterLong.class, Generic.class, Floats.class, Point.class, Color.class,
                Many.class, hidden()}) {
            KEPT.add(own);
        }
        loadBase();
        try (PrintWriter out = new PrintWriter(arguments[0], "UTF-8")) {
            for (Class<?> each : KEPT) {
                print(each, out);
            }
        }
        System.gc();
        System.out.println("classes " + KEPT.size());
    }

    static Class<?> hidden() throws Exception {
        try (InputStream bytes = FieldOffsets.class.getResourceAsStream("FieldOffsets$Template.class")) {
            return MethodHandles.lookup().defineHiddenClass(bytes.readAllBytes(), false).lookupClass();
        }
    }

    static void loadBase() throws Exception {
        Path base = FileSystems.getFileSystem(URI.create("jrt:/")).getPath("modules/java.base");
        try (Stream<Path> files = Files.walk(base)) {
            files.map(file -> base.relativize(file).toString())
                .filter(name -> name.endsWith(".class") && !name.equals("module-info.class"))
                .forEach(name -> load(name.substring(0, name.length() - 6).replace('/', '.')));
        }
    }

    static void load(String name) {
        try {
            KEPT.add(Class.forName(name, false, null));
        } catch (ClassNotFoundException | LinkageError e) {
            // Not of this machine.
        }
    }

    static void print(Class<?> type, PrintWriter out) throws Exception {
        Field[] fields;
        try {
            fields = type.getDeclaredFields();
        } catch (LinkageError e) {
            return;
        }
        for (Field field : fields) {
            if (!Modifier.isStatic(field.getModifiers())) {
                out.println(type.getName() + "\t" + field.getName() + "\t" + field.getType().descriptorString() + "\t" + offset.invoke(unsafe, field));
            }
        }
    }
}
