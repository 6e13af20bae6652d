package java.lang;

import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.jar.Manifest;
import jdk.internal.misc.Unsafe;
import jdk.internal.vm.annotation.DontInline;
import jdk.internal.vm.annotation.ForceInline;
import jdk.internal.vm.annotation.Hidden;

/**
 * What application code calls around its calls of other code: what such a call brings is the difference of the thread's totals.
 *
 * <pre>
 * block:  word 48, 49  objects and bytes that the thread has executed so far, see {@link DuckTrack#total}
 *         word 50, 51  those of them that are charged: to the application code that made them, or to a call that has ended
 *         word 52      bytes of records in use, one record for each call under way
 *         word 53      the same when the virtual thread that runs here was mounted
 *
 * record: word 0       the call's first counter
 *         word 1, 2    the thread's totals when the call began
 *         word 3, 4    what was charged by then
 *         word 5, 6    the call's inclusive counters by then
 *
 * call:   counter 0, 1 objects and bytes, inclusive
 *         counter 2, 3 objects and bytes that are charged to it
 * </pre>
 *
 * <p>When a call ends, its inclusive counters are what they were at its beginning plus the difference. So what the same call has added in between,
 * in a recursion, is in it once. What is charged is done in the same way.
 *
 * <p>A record that stayed because its call has ended without a word (an exception that left a constructor before it has called another one) is dropped
 * when a call below it ends.
 */
public final class DuckTrackCalls {
    private static final Unsafe U = Unsafe.getUnsafe();

    private static final long SHARED = DuckTrack.SHARED;
    private static final long TOTAL = DuckTrack.TOTAL;
    private static final long CHARGED = TOTAL + 16;
    private static final long TOP = TOTAL + 32;
    private static final long BASE = TOTAL + 40;
    /** Where the records are. */
    private static final long RECORDS = SHARED + DuckTrack.constant(30);
    /** Bytes of all records; those of one are 64. */
    private static final long LIMIT = DuckTrack.constant(31);
    /** A word that counts virtual threads that wait in the middle of a call. */
    private static final long WAITING = DuckTrack.constant(32);

    private DuckTrackCalls() {}

    /** The records of a virtual thread leave its carrier. */
    private static native void leave(long thread, long slot);

    /** They come to another carrier, if there are any. */
    private static native void arrive(long thread, long slot);

    /** A call begins whose first counter is given. */
    @ForceInline
    @Hidden
    public static void b(int id) {
        long slot = DuckTrack.slot();
        long top = U.getLong(null, slot + TOP);
        if (top < LIMIT && slot != 0) {
            long record = slot + RECORDS + top;
            long call = slot + SHARED + ((long) id << 3);
            U.putLong(null, record, id);
            U.putLong(null, record + 8, U.getLong(null, slot + TOTAL));
            U.putLong(null, record + 16, U.getLong(null, slot + TOTAL + 8));
            U.putLong(null, record + 24, U.getLong(null, slot + CHARGED));
            U.putLong(null, record + 32, U.getLong(null, slot + CHARGED + 8));
            U.putLong(null, record + 40, U.getLong(null, call));
            U.putLong(null, record + 48, U.getLong(null, call + 8));
        }
        U.putLong(null, slot + TOP, top + 64);
    }

    /** It ends. */
    @ForceInline
    @Hidden
    public static void e(int id) {
        long slot = DuckTrack.slot();
        long top = U.getLong(null, slot + TOP) - 64;
        long record = slot + RECORDS + top;
        if (top >= 0 && top < LIMIT && U.getLong(null, record) == id) {
            U.putLong(null, slot + TOP, top);
            if (U.getLong(null, record + 8) != U.getLong(null, slot + TOTAL)) {
                account(slot, record);
            }
        } else {
            unwind(id);
        }
    }

    /** The call begun last ends by an exception. */
    @DontInline
    @Hidden
    public static void x() {
        long slot = DuckTrack.slot();
        long top = U.getLong(null, slot + TOP) - 64;
        if (top >= 0) {
            U.putLong(null, slot + TOP, top);
            if (top < LIMIT && slot != 0) {
                account(slot, slot + RECORDS + top);
            }
        }
    }

    @DontInline
    @Hidden
    private static void account(long slot, long record) {
        long call = slot + SHARED + (U.getLong(null, record) << 3);
        for (int i = 0; i < 16; i += 8) {
            long brought = U.getLong(null, slot + TOTAL + i) - U.getLong(null, record + 8 + i);
            U.putLong(null, call + i, U.getLong(null, record + 40 + i) + brought);
            long charged = U.getLong(null, record + 24 + i) + brought;
            long rest = charged - U.getLong(null, slot + CHARGED + i);
            U.putLong(null, call + 16 + i, U.getLong(null, call + 16 + i) + rest);
            U.putLong(null, slot + CHARGED + i, charged);
        }
    }

    /** The record begun last is not that of the call that ends. */
    @DontInline
    @Hidden
    private static void unwind(int id) {
        long slot = DuckTrack.slot();
        long top = U.getLong(null, slot + TOP) - 64;
        if (slot == 0 || top < 0) {
            return;
        }
        if (top >= LIMIT) {
            // Too deep for a record.
            U.putLong(null, slot + TOP, top);
            return;
        }
        for (long at = top; at >= 0; at -= 64) {
            long record = slot + RECORDS + at;
            if (U.getLong(null, record) == id) {
                U.putLong(null, slot + TOP, at);
                account(slot, record);
                return;
            }
        }
    }

    /** A virtual thread begins to run on the current carrier. */
    @Hidden
    public static void mount(Object thread) {
        long slot = DuckTrack.slot();
        U.putLong(null, slot + BASE, U.getLong(null, slot + TOP));
        if (U.getLong(null, WAITING) != 0) {
            arrive(((Thread) thread).getId(), slot);
        }
    }

    /** It waits, or has ended. */
    @Hidden
    public static void unmount(Object thread) {
        long slot = DuckTrack.slot();
        if (U.getLong(null, slot + TOP) > U.getLong(null, slot + BASE)) {
            leave(((Thread) thread).getId(), slot);
        }
    }

    /** The main class, as far as the command says it; of a jar that starts another class, that class. Or null. */
    static String mainClass() {
        String command = System.getProperty("sun.java.command");
        if (command == null || command.isEmpty()) {
            return null;
        }
        String jar = jarOf(command);
        if (jar != null) {
            return mainClassOf(jar);
        }
        String first = command.split(" ", 2)[0];
        return first.substring(first.indexOf('/') + 1);
    }

    /** The path may have blanks. */
    private static String jarOf(String command) {
        String path = System.getProperty("java.class.path", "");
        return !path.isEmpty() && path.endsWith(".jar") && (command + " ").startsWith(path + " ") ? path : null;
    }

    private static String mainClassOf(String jar) {
        try (JarFile file = new JarFile(jar)) {
            Manifest manifest = file.getManifest();
            if (manifest == null) {
                return null;
            }
            Attributes attributes = manifest.getMainAttributes();
            String started = attributes.getValue("Start-Class");
            return started != null ? started : attributes.getValue(Attributes.Name.MAIN_CLASS);
        } catch (Exception unreadable) {
            return null;
        }
    }
}
