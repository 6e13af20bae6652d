package ducktrack.published;

import org.apache.commons.pool2.BasePooledObjectFactory;
import org.apache.commons.pool2.PooledObject;
import org.apache.commons.pool2.impl.DefaultPooledObject;
import org.apache.commons.pool2.impl.GenericObjectPool;

/**
 * A pool for each client, dropped without being closed. Each registers itself as a bean for management, and the platform keeps these until the pool is closed (POOL-393 has users with thousands
 * of such beans). The control closes its pools.
 *
 * <p>KIND management beans HALF held-out HEAP 64 LIBRARY commons-pool
 *
 * <p>CULPRIT com.sun.jmx.mbeanserver.Repository.domainTb
 */
public final class PoolBeans {
    private static final boolean IS_REPAIRED = Boolean.getBoolean("ducktrack.leaks.repaired");

    private PoolBeans() {}

    private static final class Buffers extends BasePooledObjectFactory<byte[]> {
        @Override
        public byte[] create() {
            return new byte[2_000];
        }

        @Override
        public PooledObject<byte[]> wrap(byte[] buffer) {
            return new DefaultPooledObject<>(buffer);
        }
    }

    /** Takes no words. */
    public static void main(String[] words) throws Exception {
        long sum = 0;
        for (int client = 0; client < 3_000; client++) {
            GenericObjectPool<byte[]> pool = new GenericObjectPool<>(new Buffers());
            for (int request = 0; request < 10; request++) {
                byte[] buffer = pool.borrowObject();
                sum += buffer.length + new byte[3_000].length;
                pool.returnObject(buffer);
            }
            if (IS_REPAIRED) {
                pool.close();
            }
        }
        System.out.println(sum);
        System.exit(0);
    }
}
