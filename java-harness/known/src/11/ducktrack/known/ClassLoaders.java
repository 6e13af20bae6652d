package ducktrack.known;

import java.io.InputStream;
import java.util.function.IntUnaryOperator;

// PROGRAM tags=classes
// EXPECT
//   body  Body.applyAsInt newarray int[] N bytes=24
//   loader main new Isolated 100
// END
/** One class loaded by 100 loaders, each of its copies run 1,000 times: one site by name, the copies summed. */
final class ClassLoaders {
    /** Loaded anew by each loader. */
    public static final class Body implements IntUnaryOperator {
        @Override
        public int applyAsInt(int value) {
            return value + new int[2].length; // SITE body
        }
    }

    private static final class Isolated extends ClassLoader {
        private final byte[] bytes;

        Isolated(byte[] bytes) {
            super(null);
            this.bytes = bytes;
        }

        IntUnaryOperator body() throws ReflectiveOperationException {
            Class<?> body = defineClass("ducktrack.known.ClassLoaders$Body", bytes, 0, bytes.length);
            return (IntUnaryOperator) body.getConstructor().newInstance();
        }
    }

    public static void main(String[] words) throws Exception {
        byte[] bytes;
        try (InputStream file = ClassLoaders.class.getResourceAsStream("ClassLoaders$Body.class")) {
            bytes = file.readAllBytes();
        }
        long sum = 0;
        for (int i = 0; i < 100; i++) {
            IntUnaryOperator body = new Isolated(bytes).body(); // SITE loader
            for (int j = 0; j < Known.N / 100; j++) {
                sum += body.applyAsInt(j);
            }
        }
        Known.of(ClassLoaders.class).count("body", Known.N).count("loader", 100).done(sum);
    }
}
