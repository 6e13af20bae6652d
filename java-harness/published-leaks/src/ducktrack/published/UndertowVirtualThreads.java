package ducktrack.published;

import io.undertow.connector.PooledByteBuffer;
import io.undertow.server.DefaultByteBufferPool;

/**
 * Each request has a virtual thread of its own, which takes a buffer from the pool and gives it back. The pool of Undertow 2.3.12 keeps a cache per thread
 * (spring-boot issue 39812, UNDERTOW-2361); the control has no such caches.
 *
 * <p>KIND thread-local of virtual threads HALF held-out HEAP 64 JAVA 21 LIBRARY undertow
 *
 * <p>CULPRIT io.undertow.server.DefaultByteBufferPool.
 */
public final class UndertowVirtualThreads {
    private static final boolean IS_REPAIRED = Boolean.getBoolean("ducktrack.leaks.repaired");

    private static final DefaultByteBufferPool POOL = new DefaultByteBufferPool(true, 4_096, 1_000, IS_REPAIRED ? 0 : 12);

    private UndertowVirtualThreads() {}

    /** Takes no words. */
    public static void main(String[] words) throws Exception {
        for (int request = 0; request < 12_000; request++) {
            Thread.ofVirtual()
                    .start(() -> {
                        try (PooledByteBuffer buffer = POOL.allocate()) {
                            buffer.getBuffer().put((byte) 1);
                        }
                    })
                    .join();
        }
    }
}
