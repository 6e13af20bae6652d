import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * Looks at the JVM's threads for some milliseconds, through {@link Thread#getAllStackTraces} and {@link ThreadMXBean#dumpAllThreads}, and prints which names only one of
 * them shows. A thread that comes or goes during a look is in one view by chance, so a look is three views: stacks, dump, stacks again.
 */
public final class ThreadViews {
    private static final int PART = 20;
    private static final int ATTEMPTS = 5;

    private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    private final Map<String, Integer> onlyDumped = new TreeMap<>();
    private final Map<String, Integer> onlyTraced = new TreeMap<>();
    private final Map<String, Integer> seen = new TreeMap<>();
    private final Map<Integer, Integer> counts = new TreeMap<>();
    private int looks;
    private static int sink;

    private ThreadViews() {}

    public static void main(String[] words) throws Exception {
        ThreadViews views = new ThreadViews();
        Thread busy = new Thread(ThreadViews::work, "busy");
        busy.setDaemon(true);
        busy.start();
        views.look();
        views.forget();
        System.out.println("READY");
        long end = System.nanoTime() + Long.parseLong(words[0]) * 1_000_000L;
        while (System.nanoTime() < end || views.looks < PART) {
            views.look();
        }
        views.print();
    }

    /** Gives the agent something to do: hot methods, and collections. */
    private static void work() {
        while (true) {
            Map<Integer, int[]> map = new HashMap<>();
            for (int i = 0; i < 1000; i++) {
                map.put(i, new int[i & 15]);
            }
            sink += map.size();
        }
    }

    private void look() {
        Map<Long, String> before = traced();
        Map<Long, String> dumped = dumped();
        Map<Long, String> after = traced();
        dumped.forEach((id, name) -> {
            seen.merge(name, 1, Integer::sum);
            if (!before.containsKey(id) && !after.containsKey(id)) {
                onlyDumped.merge(name, 1, Integer::sum);
            }
        });
        before.forEach((id, name) -> {
            if (after.containsKey(id) && !dumped.containsKey(id)) {
                onlyTraced.merge(name, 1, Integer::sum);
            }
        });
        counts.merge(threads.getThreadCount(), 1, Integer::sum);
        looks++;
    }

    private void forget() {
        onlyDumped.clear();
        onlyTraced.clear();
        seen.clear();
        counts.clear();
        looks = 0;
    }

    private Map<Long, String> traced() {
        Map<Long, String> found = new HashMap<>();
        for (Thread thread : Thread.getAllStackTraces().keySet()) {
            found.put(thread.getId(), thread.getName());
        }
        return found;
    }

    private Map<Long, String> dumped() {
        Map<Long, String> found = new HashMap<>();
        for (ThreadInfo thread : dump()) {
            if (thread != null) {
                // A thread that attaches just now has no name yet.
                found.put(thread.getThreadId(), String.valueOf(thread.getThreadName()));
            }
        }
        return found;
    }

    /** From JDK 19 on the JVM cannot dump while any native thread attaches: its {@link Thread} has no fields yet. A dump a moment later has them. */
    private ThreadInfo[] dump() {
        for (int attempt = 1; ; attempt++) {
            try {
                return threads.dumpAllThreads(false, false);
            } catch (NullPointerException attaching) {
                if (attempt == ATTEMPTS) {
                    throw attaching;
                }
            }
        }
    }

    /** By chance a short-lived thread can differ between the views of a look, but not in one look of {@link #PART}. */
    private void print() {
        onlyDumped.forEach((name, times) -> printOften("ONLY DUMPED", name, times));
        onlyTraced.forEach((name, times) -> printOften("ONLY TRACED", name, times));
        seen.forEach((name, times) -> {
            if (times * 2 > looks) {
                System.out.println("THREAD " + name);
            }
        });
        int usual = 0;
        for (int count : counts.keySet()) {
            usual = counts.getOrDefault(usual, 0) < counts.get(count) ? count : usual;
        }
        System.out.println("COUNT " + usual);
    }

    private void printOften(String what, String name, int times) {
        if (times * PART > looks) {
            System.out.println(what + " " + name);
        }
    }
}
