import com.sun.management.HotSpotDiagnosticMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Runs another program; when that ends, writes a heap dump of what is live.
 *
 * <p>{@code java DumpAtExit FILE MAIN-CLASS [WORDS]}. The dump is what {@code jcmd PID GC.heap_dump} writes: a full collection and, at the same
 * safepoint, all objects that it left. With {@code -Dcollect=true} the program collects before: under ZGC, JDK 17
 * does not collect for a dump.
 */
public final class DumpAtExit {
    private DumpAtExit() {}

    /** The words of the class comment. */
    public static void main(String[] words) throws Exception {
        var diagnostics = ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            try {
                if (Boolean.getBoolean("collect")) {
                    // The first dump loads and links what a dump needs; it must not be made between the collection and the dump that counts.
                    String first = words[0].replace(".hprof", "-first.hprof");
                    diagnostics.dumpHeap(first, true);
                    Files.delete(Path.of(first));
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
