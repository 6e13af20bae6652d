package ducktrack.published;

import org.mockito.Mockito;
import org.mockito.MockitoFramework;

/**
 * Two mocks that get each other as arguments, again and again. The map from a mock to its handler is weak, and the handler of one holds the other (mockito issue 1614). The control clears
 * them, as later versions can.
 *
 * <p>KIND mocks HALF held-out HEAP 128 LIBRARY mockito OPTION -Djdk.attach.allowAttachSelf=true -XX:+EnableDynamicAgentLoading -Dnet.bytebuddy.experimental=true
 *
 * <p>CULPRIT org.mockito.internal.creation.bytebuddy.InlineByteBuddyMockMaker. org.mockito.internal.util.concurrent.WeakConcurrentMap.
 */
public final class MockitoInlineMocks {
    private static final boolean IS_REPAIRED = Boolean.getBoolean("ducktrack.leaks.repaired");

    private MockitoInlineMocks() {}

    /** A store. */
    public static class Store {
        /** Takes a shop. */
        public void accept(Shop shop) {}
    }

    /** A shop. */
    public static class Shop {
        /** Takes a store. */
        public void accept(Store store) {}
    }

    /** Takes no words. */
    public static void main(String[] words) throws Exception {
        for (int test = 0; test < 3_000; test++) {
            Store store = Mockito.mock(Store.class);
            Shop shop = Mockito.mock(Shop.class);
            store.accept(shop);
            shop.accept(store);
            Mockito.validateMockitoUsage();
            if (IS_REPAIRED) {
                MockitoFramework.class.getMethod("clearInlineMocks").invoke(Mockito.framework());
            }
        }
    }
}
