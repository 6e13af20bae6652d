import java.io.DataOutputStream;
import java.io.BufferedOutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.locks.LockSupport;

/**
 * Two threads hand a ball over to each other, and who has it gives it a new mark. So every mark has its number in the order of both threads. The program notes when each was
 * given (just before and just after it, in nanoseconds), for whom it writes to a file: {@code HandOvers FILE TIMES}.
 *
 * <p>It is handed over by a volatile field, by unparking the other thread, and by a queue; and then by a volatile field again, where who has the ball keeps it for a while. At last,
 * who has it is the only one for milliseconds that does anything, and only then it is handed over some times.
 */
final class HandOvers {
    static final class Mark { int number; }
    static final class Ball { Mark mark; Object other; }

    static final Ball BALL = new Ball();
    static long[] before;
    static long[] after;
    static volatile int turn;
    static final Thread[] THREADS = new Thread[2];
    static final SynchronousQueue<Ball> QUEUE = new SynchronousQueue<>();

    /** The one who has the ball gives it a mark. */
    static void mark(Ball ball, int number) {
        before[number] = System.nanoTime();
        ball.mark = new Mark();
        after[number] = System.nanoTime();
    }

    static void byField(int self, int from, int to) {
        for (int number = from + self; number < to; number += 2) {
            while (turn != number) {
                Thread.onSpinWait();
            }
            mark(BALL, number);
            turn = number + 1;
        }
        // It may have seen that it is not its turn, and wait already.
        LockSupport.unpark(THREADS[1 - self]);
    }

    static void byPark(int self, int from, int to) {
        for (int number = from + self; number < to; number += 2) {
            while (turn != number) {
                LockSupport.park(HandOvers.class);
            }
            mark(BALL, number);
            turn = number + 1;
            LockSupport.unpark(THREADS[1 - self]);
        }
    }

    static void byQueue(int self, int from, int to) throws InterruptedException {
        for (int number = from + self; number < to; number += 2) {
            Ball ball = number == from ? BALL : QUEUE.take();
            mark(ball, number);
            if (number < to - 1) {
                QUEUE.put(ball);
            } else {
                turn = to;
            }
        }
    }

    static void slowly(int self, int from, int to) {
        for (int number = from + self; number < to; number += 2) {
            while (turn != number) {
                LockSupport.parkNanos(20_000);
            }
            LockSupport.parkNanos(150_000);
            mark(BALL, number);
            LockSupport.parkNanos(1_000 * (number % 150));
            turn = number + 1;
        }
    }

    /** Who waits does nothing that would be recorded: it is not even in a method that is. */
    static void afterRest(int self, int from, int to) {
        for (int number = from + self; number < to; number += 2) {
            while (turn != number) {
                Thread.onSpinWait();
            }
            if (number % 5 == 0) {
                // Longer and shorter than the agent's clock waits at rest.
                long end = System.nanoTime() + 500_000 + 37_000 * (number % 100);
                while (System.nanoTime() < end) {
                    BALL.other = THREADS[self];
                    long next = System.nanoTime() + 20_000;
                    while (System.nanoTime() < next) {
                        Thread.onSpinWait();
                    }
                }
            } else {
                long end = System.nanoTime() + 1_000 * (80 + number % 150);
                while (System.nanoTime() < end) {
                    Thread.onSpinWait();
                }
            }
            mark(BALL, number);
            turn = number + 1;
        }
    }

    static void play(int self, int times) {
        try {
            byField(self, 0, times);
            byPark(self, times, 2 * times);
            byQueue(self, 2 * times, 3 * times);
            slowly(self, 3 * times, 4 * times);
            if (self == 0) {
                System.gc();
            }
            afterRest(self, 4 * times, 5 * times);
        } catch (InterruptedException nobodyDoes) {
            throw new AssertionError(nobodyDoes);
        }
    }

    public static void main(String[] arguments) throws Exception {
        int times = Integer.parseInt(arguments[1]);
        before = new long[5 * times];
        after = new long[5 * times];
        THREADS[0] = new Thread(() -> play(0, times), "even");
        THREADS[1] = new Thread(() -> play(1, times), "odd");
        // A mark whose allocation needs a young collection has no event. So there is room for all of them.
        System.gc();
        for (Thread thread : THREADS) {
            thread.start();
        }
        for (Thread thread : THREADS) {
            thread.join();
        }
        try (var out = new DataOutputStream(new BufferedOutputStream(Files.newOutputStream(Path.of(arguments[0]))))) {
            for (int number = 0; number < before.length; number++) {
                out.writeLong(before[number]);
                out.writeLong(after[number]);
            }
        }
    }
}
