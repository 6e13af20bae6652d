import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import javax.management.MBeanServer;
import javax.management.ObjectName;

/**
 * Runs another program; when that ends, or once a file is there, collects the heap and writes the VM's own class histogram of what is left, as {@code HistogramAtExit}; for
 * collectors that work while the program runs.
 *
 * <p>{@code java SettledHistogram HISTOGRAM WHEN MAIN-CLASS [WORDS]}: WHEN is {@code end}, or the file to wait for. All objects and classes that the request needs are made before, and nothing runs
 * after. The time after the histogram follows in the file, milliseconds since 1970.
 */
public final class SettledHistogram {
    private static final String[] TYPES = {String[].class.getName()};

    private SettledHistogram() {}

    /** The words of the class comment. */
    public static void main(String[] words) throws Exception {
        MBeanServer server = ManagementFactory.getPlatformMBeanServer();
        ObjectName commands = new ObjectName("com.sun.management:type=DiagnosticCommand");
        server.invoke(commands, "gcClassHistogram", new Object[] {new String[] {"-all"}}, TYPES);
        Path file = Path.of(words[0]);
        Path when = Path.of(words[1]);
        Thread asks = new Thread(() -> write(server, commands, file));
        if (words[1].equals("end")) {
            Runtime.getRuntime().addShutdownHook(asks);
        } else {
            new Thread(() -> {
                        try {
                            while (!Files.exists(when)) {
                                Thread.sleep(50);
                            }
                            // Clients have gone, and what they used is put away.
                            Thread.sleep(1500);
                            asks.run();
                        } catch (InterruptedException interruption) {
                            Runtime.getRuntime().halt(4);
                        }
                    })
                    .start();
        }
        String[] rest = java.util.Arrays.copyOfRange(words, 3, words.length);
        Class.forName(words[2]).getMethod("main", String[].class).invoke(null, (Object) rest);
    }

    private static void write(MBeanServer server, ObjectName commands, Path file) {
        try {
            Object[] all = {new String[0]};
            for (int times = 0; times < 3; times++) {
                System.gc();
            }
            Object histogram = server.invoke(commands, "gcClassHistogram", all, TYPES);
            long now = System.currentTimeMillis();
            Files.writeString(file, histogram + "\nafter " + now + "\n");
            Runtime.getRuntime().halt(0);
        } catch (Exception failure) {
            failure.printStackTrace();
            Runtime.getRuntime().halt(3);
        }
    }
}
