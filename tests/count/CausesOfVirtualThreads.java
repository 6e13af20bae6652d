import java.util.ArrayList;
import java.util.List;

/** Virtual threads of two kinds share two carriers, and each waits in the middle of its calls: one makes little, the other much. */
public class CausesOfVirtualThreads {
    static final int THREADS = 50;
    static final int ROUNDS = 200;

    public static void main(String[] arguments) throws InterruptedException {
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            threads.add(Thread.ofVirtual().start(() -> {
                for (int round = 0; round < ROUNDS; round++) {
                    Waiting.small();
                }
            }));
            threads.add(Thread.ofVirtual().start(() -> {
                for (int round = 0; round < ROUNDS; round++) {
                    Waiting.large();
                }
            }));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        System.out.println("DONE");
    }
}

class Waiting {
    static volatile Object sink;

    static void small() {
        sink = new byte[8];
        Thread.yield();
        sink = new byte[8];
    }

    static void large() {
        sink = new byte[50_000 - 8];
        Thread.yield();
        sink = new byte[50_000 - 8];
    }
}
