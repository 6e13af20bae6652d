import java.util.ArrayList;
import java.util.List;

/** Holds 5,000 objects until its shutdown hook lets go of them, and ends as told: {@code HeldAtEnd ENDING}. */
public final class HeldAtEnd {
    static final class Thing {
        long value;
    }

    static final List<Thing> THINGS = new ArrayList<>();
    static final List<Object> FILLING = new ArrayList<>();
    static volatile Object sink;

    private static void hook() {
        THINGS.clear();
        System.out.println("hook");
    }

    /** The words of the class comment. */
    public static void main(String[] words) throws Exception {
        Runtime.getRuntime().addShutdownHook(new Thread(HeldAtEnd::hook));
        for (int i = 0; i < 5000; i++) {
            THINGS.add(new Thing());
        }
        System.out.println("ready");
        switch (words[0]) {
            case "exit":
                System.exit(3);
                break;
            case "halt":
                Runtime.getRuntime().halt(4);
                break;
            case "signal":
                new ProcessBuilder("kill", "-TERM", "" + ProcessHandle.current().pid()).start();
                Thread.sleep(60_000);
                break;
            case "memory":
                fill(FILLING);
                break;
            case "threads":
                for (int i = 0; i < 8; i++) {
                    daemon(HeldAtEnd::startShortThreads).start();
                }
                Thread.sleep(1500);
                System.exit(0);
                break;
            case "caught":
                catchTwo();
                break;
            default:
        }
    }

    private static Thread daemon(Runnable work) {
        Thread thread = new Thread(work);
        thread.setDaemon(true);
        return thread;
    }

    private static void startShortThreads() {
        while (true) {
            daemon(() -> {
                for (int i = 0; i < 20; i++) {
                    sink = new int[4];
                }
            }).start();
            try {
                Thread.sleep(0, 200_000);
            } catch (InterruptedException interrupted) {
                return;
            }
        }
    }

    private static void catchTwo() {
        try {
            sink = new int[Integer.MAX_VALUE];
        } catch (OutOfMemoryError error) {
            System.out.println("caught");
        }
        List<Object> filling = new ArrayList<>();
        try {
            fill(filling);
        } catch (OutOfMemoryError error) {
            filling.clear();
        }
    }

    private static void fill(List<Object> list) {
        while (true) {
            list.add(new long[2048]);
        }
    }
}
