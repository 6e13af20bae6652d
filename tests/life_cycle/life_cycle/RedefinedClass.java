import java.io.InputStream;
import java.lang.instrument.ClassDefinition;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.nio.charset.StandardCharsets;
import java.security.ProtectionDomain;

/**
 * A class that is redefined as hot swap does it, and retransformed afterwards.
 *
 * <p>Run with itself as a Java agent. Prints what the class says after each step.
 */
public final class RedefinedClass {
    private static final String OLD = "code of the first";
    private static final String NEW = "code of the other";

    static Instrumentation instrumentation;

    private RedefinedClass() {}

    /** The class that is redefined. */
    static final class Target {
        private Target() {}

        static String says() {
            return new StringBuilder("code of the first").toString();
        }

        static Object makes() {
            return new long[3];
        }
    }

    /** Called by the VM. */
    public static void premain(String words, Instrumentation ours) {
        instrumentation = ours;
        ours.addTransformer(new Nothing(), true);
    }

    /** Changes nothing. */
    static final class Nothing implements ClassFileTransformer {
        @Override
        public byte[] transform(ClassLoader loader, String name, Class<?> old, ProtectionDomain domain, byte[] bytes) {
            return null;
        }
    }

    /** See above. */
    public static void main(String[] words) throws Exception {
        expect(OLD, "at first");
        instrumentation.redefineClasses(new ClassDefinition(Target.class, otherBytes()));
        expect(NEW, "redefined");
        instrumentation.retransformClasses(Target.class);
        expect(NEW, "retransformed");
        // Long enough for an agent that rewrites hot methods again.
        long end = System.nanoTime() + 4_000_000_000L;
        long made = 0;
        while (System.nanoTime() < end) {
            for (int number = 0; number < 10_000; number++) {
                made += Target.makes().hashCode() == 0 ? 1 : 0;
                Target.says();
            }
        }
        expect(NEW, "hot");
        instrumentation.retransformClasses(Target.class);
        expect(NEW, "retransformed again");
        System.out.println("DONE " + (made < 0 ? made : ""));
    }

    private static void expect(String what, String when) {
        String said = Target.says();
        if (!said.equals(what)) {
            System.out.println(when + ": " + said);
            System.exit(1);
        }
    }

    /** The class file with the other text, which is as long. */
    private static byte[] otherBytes() throws Exception {
        try (InputStream file = RedefinedClass.class.getResourceAsStream("RedefinedClass$Target.class")) {
            String text = new String(file.readAllBytes(), StandardCharsets.ISO_8859_1);
            return text.replace(OLD, NEW).getBytes(StandardCharsets.ISO_8859_1);
        }
    }
}
