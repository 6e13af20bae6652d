package ducktrack.published;

/**
 * Clients that each ask to be closed when the program ends, and do not take that back when they are closed. The control does.
 *
 * <p>KIND JDK HALF held-out HEAP 64
 *
 * <p>CULPRIT java.lang.ApplicationShutdownHooks. ducktrack.published.ShutdownHooks$Client.
 */
public final class ShutdownHooks {
    private static final boolean IS_REPAIRED = Boolean.getBoolean("ducktrack.leaks.repaired");

    private ShutdownHooks() {}

    private static final class Client {
        private final byte[] buffer = new byte[700];
        private final Thread hook = new Thread(this::end, "end");

        Client() {
            Runtime.getRuntime().addShutdownHook(hook);
        }

        private void end() {
            buffer[0] = 1;
        }

        int call() {
            return buffer.length;
        }

        void close() {
            end();
            if (IS_REPAIRED) {
                Runtime.getRuntime().removeShutdownHook(hook);
            }
        }
    }

    /** Takes no words. */
    public static void main(String[] words) {
        long sum = 0;
        for (int call = 0; call < 4_000; call++) {
            Client client = new Client();
            sum += client.call() + new byte[20_000].length;
            client.close();
        }
        System.out.println(sum);
    }
}
