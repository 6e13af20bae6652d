package ducktrack.published;

import java.io.InputStream;
import org.apache.commons.beanutils.PropertyUtils;

/**
 * A program is deployed again and again, each time with a loader of its own, and its beans are read by BeanUtils of the server. BeanUtils 1.7.0 keeps the classes of
 * all of them (BEANUTILS-156, psi-probe issue 444). The control clears BeanUtils' tables when the program is taken away: version 1.8.3 still keeps them on JDK 17.
 *
 * <p>KIND class loader HALF held-out HEAP 64 OPTION -XX:MaxMetaspaceSize=256m LIBRARY beanutils
 *
 * <p>CULPRIT org.apache.commons.beanutils.PropertyUtilsBean.descriptorsCache CULPRIT org.apache.commons.beanutils.MethodUtils.cache CULPRIT
 * org.apache.commons.beanutils.PropertyUtilsBean.mappedDescriptorsCache
 */
public final class BeanutilsLoaders {
    private static final boolean IS_REPAIRED = Boolean.getBoolean("ducktrack.leaks.repaired");

    private BeanutilsLoaders() {}

    /** A bean of the program that is deployed. */
    public static final class Order {
        private final byte[] lines = new byte[100];

        /** How many. */
        public int getLines() {
            return lines.length;
        }

        /** Whose. */
        public String getName() {
            return "Ann";
        }
    }

    private static final class Deployment extends ClassLoader {
        private final byte[] code;

        Deployment(byte[] code) {
            super(null);
            this.code = code;
        }

        @Override
        protected Class<?> findClass(String name) throws ClassNotFoundException {
            if (!name.equals(Order.class.getName())) {
                throw new ClassNotFoundException(name);
            }
            return defineClass(name, code, 0, code.length);
        }
    }

    /** Takes no words. */
    public static void main(String[] words) throws Exception {
        byte[] code;
        try (InputStream in = BeanutilsLoaders.class.getResourceAsStream("BeanutilsLoaders$Order.class")) {
            code = in.readAllBytes();
        }
        long sum = 0;
        for (int deployment = 0; deployment < 4_000; deployment++) {
            Object bean = new Deployment(code).loadClass(Order.class.getName()).getConstructor().newInstance();
            for (int request = 0; request < 5; request++) {
                sum += (Integer) PropertyUtils.getProperty(bean, "lines");
                sum += PropertyUtils.describe(bean).size();
            }
            if (IS_REPAIRED) {
                PropertyUtils.clearDescriptors();
            }
        }
        System.out.println(sum);
        System.exit(0);
    }
}
