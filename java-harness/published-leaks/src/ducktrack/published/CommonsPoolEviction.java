package ducktrack.published;

import org.apache.commons.pool2.BasePooledObjectFactory;
import org.apache.commons.pool2.PooledObject;
import org.apache.commons.pool2.impl.DefaultPooledObject;
import org.apache.commons.pool2.impl.GenericObjectPool;
import org.apache.commons.pool2.impl.GenericObjectPoolConfig;

/**
 * A pool per tenant, closed after use. The timer of evictions keeps each pool that was closed while another one is open (POOL-337).
 *
 * <p>KIND object pool HALF held-out HEAP 192 LIBRARY commons-pool-eviction
 *
 * <p>CULPRIT org.apache.commons.pool2.impl.EvictionTimer.
 */
public final class CommonsPoolEviction {
    private CommonsPoolEviction() {}

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

    private static GenericObjectPool<byte[]> open() {
        GenericObjectPoolConfig config = new GenericObjectPoolConfig();
        config.setJmxEnabled(false);
        config.setTimeBetweenEvictionRunsMillis(3_600_000);
        return new GenericObjectPool<>(new Buffers(), config);
    }

    /** Takes no words. */
    public static void main(String[] words) throws Exception {
        try {
            serve();
        } finally {
            // The timer's thread would go on.
            System.exit(0);
        }
    }

    private static void serve() throws Exception {
        GenericObjectPool<byte[]> ours = open();
        long sum = 0;
        for (int tenant = 0; tenant < 8_000; tenant++) {
            GenericObjectPool<byte[]> pool = open();
            for (int request = 0; request < 4; request++) {
                byte[] buffer = pool.borrowObject();
                sum += buffer.length + new byte[500].length;
                pool.returnObject(buffer);
            }
            pool.close();
        }
        System.out.println(sum + ours.getNumIdle());
    }
}
