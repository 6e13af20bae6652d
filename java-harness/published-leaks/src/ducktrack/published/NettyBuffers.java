package ducktrack.published;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import java.util.ArrayDeque;
import java.util.Random;

/**
 * Messages in pooled buffers of the heap, of which some wait.
 *
 * <p>KIND buffer pool HEAP 96 LIBRARY netty CONTROL
 */
public final class NettyBuffers {
    private static final PooledByteBufAllocator BUFFERS = new PooledByteBufAllocator(false);
    private static final ArrayDeque<ByteBuf> WAITING = new ArrayDeque<>();

    private NettyBuffers() {}

    /** Takes no words. */
    public static void main(String[] words) throws Exception {
        Random random = new Random(1);
        for (int message = 0; message < 400_000; message++) {
            ByteBuf buffer = BUFFERS.heapBuffer(100 + random.nextInt(5_000));
            buffer.writeBytes(new byte[random.nextInt(500)]);
            WAITING.add(buffer);
            if (WAITING.size() > 500) {
                WAITING.remove().release();
            }
        }
    }
}
