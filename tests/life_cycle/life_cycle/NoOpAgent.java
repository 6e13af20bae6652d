import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.security.ProtectionDomain;

/**
 * An agent that is called for every class, returns some of them unchanged as new bytes, and changes nothing. With the name of a class it retransforms that one, and gives
 * back what it got.
 */
public final class NoOpAgent implements ClassFileTransformer {
    private final String retransformed;

    private NoOpAgent(String retransformed) {
        this.retransformed = retransformed == null ? "" : retransformed.replace('.', '/');
    }

    public static void premain(String words, Instrumentation instrumentation) throws Exception {
        instrumentation.addTransformer(new NoOpAgent(words), true);
        if (words != null && !words.isEmpty()) {
            instrumentation.retransformClasses(Class.forName(words));
        }
    }

    public static void agentmain(String words, Instrumentation instrumentation) throws Exception {
        premain(words, instrumentation);
    }

    @Override
    public byte[] transform(ClassLoader loader, String name, Class<?> old, ProtectionDomain domain, byte[] bytes) {
        if ("LifeCycleProbe".equals(name)) {
            System.out.println("TRANSFORMER SAW " + name);
            return bytes.clone();
        }
        return retransformed.equals(name) ? bytes.clone() : null;
    }
}
