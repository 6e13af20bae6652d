import java.io.IOException;
import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import javax.management.ObjectName;

/**
 * A program for a heap that is lost on the way and known again: objects that live on are made before the fault, in the gap, just before the
 * full collection that ends it, and after it. Then the VM's own class histogram, to the file that is the first argument. With a second one there is no room
 * on its disk in the gap.
 */
public final class LostHeap {
    static class Early { long a; Object next; }
    static class Between { long a; int b; Object next; }
    static class JustBefore { int a; Object next; }
    static class After { long a, b; Object next; }

    static final List<Object> KEPT = new ArrayList<>();
    static volatile Object sink;

    public static void main(String[] arguments) throws Exception {
        for (int i = 0; i < 1000; i++) {
            KEPT.add(new Early());
        }
        churn(200);
        Path filler = arguments.length > 1 ? Path.of(arguments[1]) : null;
        fillDisk(filler);
        for (int i = 0; i < 1000; i++) {
            KEPT.add(new Between());
        }
        churn(filler == null ? 100 : 1500);
        if (filler != null) {
            Files.delete(filler);
            for (int i = 0; i < 30; i++) {
                churn(4);
                Thread.sleep(100);
            }
        }
        for (int i = 0; i < 100; i++) {
            KEPT.add(new JustBefore());
        }
        System.gc();
        for (int i = 0; i < 1000; i++) {
            KEPT.add(new After());
        }
        churn(200);
        histogram(Path.of(arguments[0]));
    }

    /** Fills the disk of a file with it. */
    static void fillDisk(Path file) throws Exception {
        if (file == null) {
            return;
        }
        try (OutputStream filler = Files.newOutputStream(file)) {
            byte[] part = new byte[4096];
            while (true) {
                filler.write(part);
            }
        } catch (IOException full) {
            System.out.println("full: " + full.getMessage());
        }
    }

    /** So many megabytes of short-lived objects, a part of which lives for a while. */
    static void churn(int megabytes) {
        Object[] ring = new Object[512];
        for (int i = 0; i < megabytes * 1024; i++) {
            ring[i % ring.length] = new byte[1008];
            sink = ring;
        }
    }

    static void histogram(Path file) throws Exception {
        Object text = ManagementFactory.getPlatformMBeanServer().invoke(
                new ObjectName("com.sun.management:type=DiagnosticCommand"), "gcClassHistogram",
                new Object[] {new String[0]}, new String[] {String[].class.getName()});
        Files.writeString(file, (String) text);
    }
}
