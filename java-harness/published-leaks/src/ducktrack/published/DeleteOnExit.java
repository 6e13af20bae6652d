package ducktrack.published;

import java.io.File;

/**
 * Each upload has a temporary file that is to be deleted at the exit at the latest. The JDK keeps the names of files that were deleted long ago (JDK-4872014, not
 * fixed). The control does not ask for it. A shutdown hook of the JDK frees them, so the dump is written before the hooks run.
 *
 * <p>KIND JDK HALF build HEAP 32
 *
 * <p>CULPRIT java.io.DeleteOnExitHook.files java.io.DeleteOnExitHook.add
 */
public final class DeleteOnExit {
    private static final boolean IS_REPAIRED = Boolean.getBoolean("ducktrack.leaks.repaired");

    private DeleteOnExit() {}

    /** Takes no words. */
    public static void main(String[] words) throws Exception {
        File folder = new File(System.getProperty("java.io.tmpdir"));
        for (int upload = 0; upload < 60_000; upload++) {
            File file = new File(folder, "upload-of-a-customer-with-a-long-name-" + upload + ".tmp");
            if (!IS_REPAIRED) {
                file.deleteOnExit();
            }
            byte[] content = new byte[4_000];
            if (file.getName().length() + content.length < 10) {
                throw new IllegalStateException();
            }
        }
    }
}
