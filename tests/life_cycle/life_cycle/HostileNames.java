import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Runs a class whose name could command a terminal: {@code HostileNames FILE}. The name of {@link Q1Q23Q4Q} gets the bytes of ESC, U+009B and a new line; the class goes
 * to the file, too.
 */
public final class HostileNames {
    public static volatile Object sink;

    /** Its digits become what a terminal obeys. */
    static final class Q1Q23Q4Q {
        static void make() {
            for (int i = 0; i < 100_000; i++) {
                sink = new long[40];
            }
        }
    }

    private HostileNames() {}

    private static byte[] hostile() throws Exception {
        try (InputStream file = HostileNames.class.getResourceAsStream("HostileNames$Q1Q23Q4Q.class")) {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            file.transferTo(bytes);
            String text = bytes.toString(StandardCharsets.ISO_8859_1);
            text = text.replace("Q1Q23Q4Q", "Q\u001bQ\u00c2\u009bQ\nQ");
            return text.getBytes(StandardCharsets.ISO_8859_1);
        }
    }

    public static void main(String[] words) throws Exception {
        byte[] hostile = hostile();
        Files.write(Path.of(words[0]), hostile);
        Class<?> made = new ClassLoader(HostileNames.class.getClassLoader()) {
            Class<?> define() {
                return defineClass(null, hostile, 0, hostile.length);
            }
        }.define();
        var make = made.getDeclaredMethod("make");
        make.setAccessible(true);
        make.invoke(null);
        System.out.println("DONE");
    }
}
