package ducktrack.published;

import javassist.ClassPool;
import javassist.CtClass;
import javassist.CtNewMethod;

/**
 * Classes that are made one after the other. The pool keeps what it knows of each, as its manual says; the control detaches them.
 *
 * <p>KIND descriptions of classes HALF held-out HEAP 96 LIBRARY javassist
 *
 * <p>CULPRIT javassist.ClassPool.
 */
public final class JavassistPool {
    private static final boolean IS_REPAIRED = Boolean.getBoolean("ducktrack.leaks.repaired");

    private JavassistPool() {}

    /** Takes no words. */
    public static void main(String[] words) throws Exception {
        ClassPool pool = new ClassPool(true);
        long sum = 0;
        for (int number = 0; number < 8_000; number++) {
            CtClass made = pool.makeClass("shop.Rule" + number);
            made.addMethod(CtNewMethod.make("public int apply(int price) { return price - " + number + "; }", made));
            sum += made.toBytecode().length;
            if (IS_REPAIRED) {
                made.detach();
            }
        }
        System.out.println(sum + pool.hashCode());
        System.exit(0);
    }
}
