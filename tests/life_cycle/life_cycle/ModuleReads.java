import java.util.TreeSet;

/**
 * Prints which named modules read the unnamed module of the application, at the start and after classes of further modules were used. With a word, it waits for a line and prints
 * them again.
 */
public final class ModuleReads {
    private ModuleReads() {}

    public static void main(String[] words) throws Exception {
        print("start");
        // Classes of modules of which none was loaded so far.
        java.util.logging.Logger.getLogger("reads").setLevel(java.util.logging.Level.OFF);
        Class.forName("java.util.prefs.Preferences");
        Class.forName("javax.sql.rowset.serial.SerialArray");
        Class.forName("com.sun.management.internal.PlatformMBeanProviderImpl", true, null);
        print("later");
        if (words.length > 0) {
            System.out.println("READY");
            System.out.flush();
            while (System.in.read() != '\n') {
                // Go on to the end of the line.
            }
            print("after");
        }
    }

    private static void print(String when) throws Exception {
        Module application = ModuleReads.class.getModule();
        TreeSet<String> readers = new TreeSet<>();
        for (Module module : ModuleLayer.boot().modules()) {
            if (module.canRead(application)) {
                readers.add(module.getName());
            }
        }
        System.out.println("READS " + when + " " + String.join(" ", readers));
    }
}
