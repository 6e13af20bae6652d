import java.lang.reflect.Method;

/** Runs another program's {@code main}, and makes a full collection every 200 ms: {@code CollectsOften CLASS WORD...}. */
final class CollectsOften {
    public static void main(String[] arguments) throws Exception {
        Thread collector = new Thread(() -> {
            try {
                for (;;) {
                    Thread.sleep(200);
                    System.gc();
                }
            } catch (InterruptedException end) {
                // The program has ended.
            }
        });
        collector.setDaemon(true);
        collector.start();
        Method main = Class.forName(arguments[0]).getMethod("main", String[].class);
        String[] words = java.util.Arrays.copyOfRange(arguments, 1, arguments.length);
        main.invoke(null, (Object) words);
    }
}
