package ducktrack.harness;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * CPU time and allocated bytes of the Java application threads.
 *
 * <p>The VM forgets a thread's counters when it ends (the total over dead threads does not exist in every 17), so threads report before
 * they end, and a reading is: what live threads have now, and what the others reported last. Compiler and collector
 * threads are not visible to the thread bean; agent threads are left out by name.
 */
final class ThreadMeter {
    private static final String[] NOT_APPLICATION = {"ducktrack", "Signal Dispatcher", "Attach Listener"};

    /** One thread's counters since it started. */
    private record Counters(long cpuNanos, long allocatedBytes) {}

    /** Sums over all application threads, ever. */
    record Reading(long cpuNanos, long allocatedBytes) {
        Reading minus(Reading earlier) {
            return new Reading(cpuNanos - earlier.cpuNanos, allocatedBytes - earlier.allocatedBytes);
        }
    }

    private final ThreadMXBean bean = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private final Map<Long, Counters> last = new ConcurrentHashMap<>();

    ThreadMeter() {
        bean.setThreadAllocatedMemoryEnabled(true);
        bean.setThreadCpuTimeEnabled(true);
    }

    /** Notes the current thread's counters. */
    @SuppressWarnings("deprecation") // threadId() does not exist in 17
    void report() {
        long id = Thread.currentThread().getId();
        last.put(id, new Counters(bean.getCurrentThreadCpuTime(), bean.getThreadAllocatedBytes(id)));
    }

    /** Reads all live threads and sums. */
    Reading read() {
        for (Map.Entry<Long, Counters> live : liveThreads().entrySet()) {
            last.put(live.getKey(), live.getValue());
        }
        long cpu = 0;
        long bytes = 0;
        for (Counters counters : last.values()) {
            cpu += counters.cpuNanos;
            bytes += counters.allocatedBytes;
        }
        return new Reading(cpu, bytes);
    }

    private Map<Long, Counters> liveThreads() {
        long[] ids = bean.getAllThreadIds();
        var infos = bean.getThreadInfo(ids);
        long[] cpu = bean.getThreadCpuTime(ids);
        long[] bytes = bean.getThreadAllocatedBytes(ids);
        Map<Long, Counters> live = new HashMap<>();
        for (int i = 0; i < ids.length; i++) {
            // -1: the thread ended while this loop ran; its own report stands.
            if (infos[i] != null && cpu[i] >= 0 && bytes[i] >= 0 && isApplication(infos[i].getThreadName())) {
                live.put(ids[i], new Counters(cpu[i], bytes[i]));
            }
        }
        return live;
    }

    private static boolean isApplication(String name) {
        for (String prefix : NOT_APPLICATION) {
            if (name.startsWith(prefix)) {
                return false;
            }
        }
        return true;
    }
}
