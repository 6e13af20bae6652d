import com.google.monitoring.runtime.instrumentation.AllocationRecorder;
import com.google.monitoring.runtime.instrumentation.Sampler;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/**
 * The callback that users of Google's allocation instrumenter write: objects and bytes per type, or per site.
 *
 * <p>An agent of its own, after the instrumenter's: {@code -javaagent:callback.jar=type,FILE} or {@code =site,FILE}.
 * At exit FILE has one line per entry: objects, bytes, type, and with {@code site} the frame, separated by tabs.
 */
public final class CountingCallback implements Sampler {
    private record Key(String type, String site) { }

    private static final class Sum {
        final LongAdder objects = new LongAdder();
        final LongAdder bytes = new LongAdder();
    }

    private final Map<Key, Sum> sums = new ConcurrentHashMap<>();
    private final boolean bySite;

    private CountingCallback(boolean bySite) {
        this.bySite = bySite;
    }

    public static void premain(String options) {
        String[] parts = options.split(",", 2);
        CountingCallback callback = new CountingCallback(parts[0].equals("site"));
        AllocationRecorder.addSampler(callback);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            AllocationRecorder.removeSampler(callback);
            callback.write(Path.of(parts[1]));
        }));
    }

    @Override public void sampleAllocation(int count, String description, Object object, long size) {
        Sum sum = sums.computeIfAbsent(new Key(object.getClass().getTypeName(), bySite ? site() : ""), key -> new Sum());
        sum.objects.increment();
        sum.bytes.add(size);
    }

    /** The first frame that is neither this class's nor the instrumenter's. */
    private static String site() {
        return StackWalker.getInstance().walk(frames -> frames
            .filter(frame -> !frame.getClassName().startsWith("com.google.monitoring.") && !frame.getClassName().equals("CountingCallback"))
            .findFirst()
            .map(frame -> frame.getClassName() + "." + frame.getMethodName() + ":" + frame.getByteCodeIndex())
            .orElse("?"));
    }

    private void write(Path file) {
        try (PrintWriter out = new PrintWriter(Files.newBufferedWriter(file))) {
            sums.forEach((key, sum) -> out.println(sum.objects + "\t" + sum.bytes + "\t" + key.type + "\t" + key.site));
        } catch (IOException e) {
            System.err.println("counting callback: " + e);
        }
    }
}
