package ducktrack.harness;

import com.sun.management.OperatingSystemMXBean;
import com.sun.management.ThreadMXBean;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.reflect.Method;

/** What the VM knows of itself as a whole: the process's CPU time, its collections and all bytes allocated. */
final class VmMeter {
    /** {@code allocatedBytes} is -1 where the VM does not tell. */
    record Reading(long cpuNanos, long allocatedBytes, long collections, long collectionMillis) {
        Reading minus(Reading earlier) {
            return new Reading(
                    cpuNanos - earlier.cpuNanos,
                    allocatedBytes < 0 ? -1 : allocatedBytes - earlier.allocatedBytes,
                    collections - earlier.collections,
                    collectionMillis - earlier.collectionMillis);
        }
    }

    private final OperatingSystemMXBean system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private final Method totalAllocated = totalAllocatedGetter();

    Reading read() throws ReflectiveOperationException {
        long collections = 0;
        long millis = 0;
        for (GarbageCollectorMXBean collector : ManagementFactory.getGarbageCollectorMXBeans()) {
            collections += Math.max(0, collector.getCollectionCount());
            millis += Math.max(0, collector.getCollectionTime());
        }
        long bytes = totalAllocated == null ? -1 : (long) totalAllocated.invoke(threads);
        return new Reading(system.getProcessCpuTime(), bytes, collections, millis);
    }

    /** {@code getTotalThreadAllocatedBytes}, which exists from JDK 21 on and in late updates of 17. */
    private static Method totalAllocatedGetter() {
        try {
            return ThreadMXBean.class.getMethod("getTotalThreadAllocatedBytes");
        } catch (NoSuchMethodException absent) {
            return null;
        }
    }
}
