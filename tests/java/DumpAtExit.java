import com.sun.management.HotSpotDiagnosticMXBean;
import java.lang.management.ManagementFactory;

/**
 * Runs another program; when that ends, writes a heap dump of what is live.
 *
 * <p>{@code java DumpAtExit FILE MAIN-CLASS [WORDS]}. The dump is what {@code jcmd PID GC.heap_dump} writes: a full collection and, at the same
 * safepoint, all objects that it left. With {@code -Dcollect=true} the program collects before: under ZGC, JDK 17 does not.
 */
public final class DumpAtExit {
    private DumpAtExit() {}

    /** The words of the class comment. */
    public static void main(String[] words) throws Exception {
        var diagnostics = ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            try {
                if (Boolean.getBoolean("collect")) {
                    System.gc();
                }
                diagnostics.dumpHeap(words[0], true);
            } catch (Exception failure) {
                failure.printStackTrace();
                Runtime.getRuntime().halt(3);
            }
        }));
        String[] rest = java.util.Arrays.copyOfRange(words, 2, words.length);
        Class.forName(words[1]).getMethod("main", String[].class).invoke(null, (Object) rest);
    }
}
