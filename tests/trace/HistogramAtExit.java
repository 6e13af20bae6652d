import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import javax.management.ObjectName;

/**
 * Runs another program; when that ends, collects the heap once more and writes the VM's own class histogram of what is left.
 *
 * <p>{@code java HistogramAtExit FILE MAIN-CLASS [WORDS]}. The histogram is what {@code jcmd PID GC.class_histogram} prints: a full collection and,
 * at the same safepoint, a walk over the heap.
 */
public final class HistogramAtExit {
    private HistogramAtExit() {}

    /** The words of the class comment. */
    public static void main(String[] words) throws Exception {
        Path file = Path.of(words[0]);
        var server = ManagementFactory.getPlatformMBeanServer();
        var commands = new ObjectName("com.sun.management:type=DiagnosticCommand");
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            try {
                Object histogram = server.invoke(
                        commands, "gcClassHistogram", new Object[] {new String[0]}, new String[] {String[].class.getName()});
                Files.writeString(file, (String) histogram);
            } catch (Exception failure) {
                failure.printStackTrace();
                Runtime.getRuntime().halt(3);
            }
        }));
        String[] rest = java.util.Arrays.copyOfRange(words, 2, words.length);
        Class.forName(words[1]).getMethod("main", String[].class).invoke(null, (Object) rest);
    }
}
