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
 * record: word 0       the call's first counter
 *         word 1, 2    the thread's totals when the call began
 *         word 3, 4    what was charged by then
 *         word 5, 6    the call's inclusive counters by then
 *
 * call:   counter 0, 1 objects and bytes, inclusive
 *         counter 2, 3 objects and bytes that are charged to it
 * </pre>
 *
 * <p>Most calls begin while no other call is open. Such a call needs no record: the totals begin at 0 with it, and word 52 names it. A call
 * that begins inside of another one has a record. When it ends, its inclusive counters are what they were at its beginning plus the
 * difference. So what the same call has added in between, in a recursion, is counted once. Charged bytes are computed in the same way. The
 * bottom call itself is not added to by calls above it.
 *
 * <p>In the head of a constructor no handler may stand, so a call there that throws leaves its record behind. It always has a record, and a
 * call below drops that when it ends. Without a bottom call, {@link #STALE} records are taken for left behind.
 */
public final class DuckTrackCalls {
    private static final Unsafe U = Unsafe.getUnsafe();

    private static final long SHARED = DuckTrack.SHARED;
    private static final long TOTAL = DuckTrack.TOTAL;
    private static final long CHARGED = SHARED + DuckTrackLayout.CHARGED_OBJECTS;
    private static final long OPEN = SHARED + DuckTrackLayout.OPEN_CALLS;
    private static final long BASE = SHARED + DuckTrackLayout.OPEN_CALLS_BEFORE;
    private static final long ONE_RECORD = 64L << 32;
    private static final long STALE = 4096 * ONE_RECORD;
    /** Where the records are. */
    private static final long RECORDS = SHARED + DuckTrack.constant(DuckTrackLayout.ASK_CALL_RECORDS);
    /** Bytes of all records; those of one are 64. */
    private static final long LIMIT = DuckTrack.constant(DuckTrackLayout.ASK_CALL_RECORDS_BYTES);
    /** A word that counts virtual threads that wait in the middle of a call. */
    private static final long WAITING = DuckTrack.constant(DuckTrackLayout.ASK_WAITING_THREADS);

    private DuckTrackCalls() {}

    /** The records of a virtual thread leave its carrier. */
    private static native void leave(long thread, long slot);

    /** They come to another carrier, if there are any. */
    private static native void arrive(long thread, long slot);

    /** A call begins whose first counter is given. */
    @ForceInline
    @Hidden
    public static void begin(int id) {
        long slot = DuckTrack.slot();
        if (U.getLong(null, slot + OPEN) != 0) {
            push(slot, id);
            return;
        }
        if ((U.getLong(null, slot + TOTAL) | U.getLong(null, slot + (TOTAL + 8))) != 0) {
            U.putLong(null, slot + TOTAL, 0);
            U.putLong(null, slot + (TOTAL + 8), 0);
            U.putLong(null, slot + CHARGED, 0);
            U.putLong(null, slot + (CHARGED + 8), 0);
        }
        U.putLong(null, slot + OPEN, id);
    }

    /** The same in the head of a constructor. */
    @Hidden
    public static void beginInHead(int id) {
        push(DuckTrack.slot(), id);
    }

    /** It ends. */
    @ForceInline
    @Hidden
    public static void end(int id) {
        long slot = DuckTrack.slot();
        if (U.getLong(null, slot + OPEN) == id) {
            U.putLong(null, slot + OPEN, 0);
            if (U.getLong(null, slot + TOTAL) != 0) {
                bottom(slot, id);
            }
        } else {
            pop(slot, id);
        }
    }

    /** The call begun last ends by an exception. */
    @DontInline
    @Hidden
    public static void thrown() {
        long slot = DuckTrack.slot();
        long open = U.getLong(null, slot + OPEN);
        if (slot == 0 || open == 0) {
            return;
        }
        long top = (open >>> 32) - 64;
        if (top < 0) {
            U.putLong(null, slot + OPEN, 0);
            bottom(slot, (int) open);
            return;
        }
        U.putLong(null, slot + OPEN, open - ONE_RECORD);
        if (top < LIMIT) {
            account(slot, slot + RECORDS + top, (int) open);
        }
    }

    /** A call begins that has a record. */
    @Hidden
    private static void push(long slot, int id) {
        if (slot == 0) {
            return;
        }
        long open = U.getLong(null, slot + OPEN);
        if ((int) open == 0 && open >= STALE) {
            open = 0;
        }
        long top = open >>> 32;
        if (top < LIMIT) {
            long record = slot + RECORDS + top;
            long call = slot + SHARED + ((long) id << 3);
            U.putLong(null, record, id);
            U.putLong(null, record + 8, U.getLong(null, slot + TOTAL));
            U.putLong(null, record + 16, U.getLong(null, slot + (TOTAL + 8)));
            U.putLong(null, record + 24, U.getLong(null, slot + CHARGED));
            U.putLong(null, record + 32, U.getLong(null, slot + (CHARGED + 8)));
            U.putLong(null, record + 40, U.getLong(null, call));
            U.putLong(null, record + 48, U.getLong(null, call + 8));
        }
        U.putLong(null, slot + OPEN, open + ONE_RECORD);
    }

    /** It ends. */
    @Hidden
    private static void pop(long slot, int id) {
        long open = U.getLong(null, slot + OPEN);
        long top = (open >>> 32) - 64;
        long record = slot + RECORDS + top;
        if (slot == 0 || top < 0 || top >= LIMIT || U.getLong(null, record) != id) {
            unwind(slot, id);
            return;
        }
        U.putLong(null, slot + OPEN, open - ONE_RECORD);
        if (U.getLong(null, record + 8) != U.getLong(null, slot + TOTAL)) {
            account(slot, record, (int) open);
        }
    }

    /** The record begun last is not that of the call that ends. */
    @DontInline
    @Hidden
    private static void unwind(long slot, int id) {
        long open = U.getLong(null, slot + OPEN);
        if (slot == 0 || open == 0) {
            return;
        }
        long top = (open >>> 32) - 64;
        if (top >= LIMIT) {
            // Too deep for a record.
            U.putLong(null, slot + OPEN, open - ONE_RECORD);
            return;
        }
        int bottom = (int) open;
        for (long at = top; at >= 0; at -= 64) {
            long record = slot + RECORDS + at;
            if (U.getLong(null, record) == id) {
                U.putLong(null, slot + OPEN, at << 32 | bottom);
                account(slot, record, bottom);
                return;
            }
        }
        if (bottom == id) {
            U.putLong(null, slot + OPEN, 0);
            bottom(slot, id);
        }
    }

    /** The bottom call has ended. */
    @DontInline
    @Hidden
    private static void bottom(long slot, int id) {
        if (slot == 0) {
            return;
        }
        long call = slot + SHARED + ((long) id << 3);
        for (int i = 0; i < 16; i += 8) {
            long brought = U.getLong(null, slot + TOTAL + i);
            U.putLong(null, call + i, U.getLong(null, call + i) + brought);
            long rest = brought - U.getLong(null, slot + CHARGED + i);
            U.putLong(null, call + 16 + i, U.getLong(null, call + 16 + i) + rest);
        }
    }

    /** A call above the bottom call has ended. */
    @DontInline
    @Hidden
    private static void account(long slot, long record, int bottom) {
        long id = U.getLong(null, record);
        long call = slot + SHARED + (id << 3);
        for (int i = 0; i < 16; i += 8) {
            long brought = U.getLong(null, slot + TOTAL + i) - U.getLong(null, record + 8 + i);
            if (id != bottom) {
                U.putLong(null, call + i, U.getLong(null, record + 40 + i) + brought);
            }
            long charged = U.getLong(null, record + 24 + i) + brought;
            long rest = charged - U.getLong(null, slot + CHARGED + i);
            U.putLong(null, call + 16 + i, U.getLong(null, call + 16 + i) + rest);
            U.putLong(null, slot + CHARGED + i, charged);
        }
    }

    /** A virtual thread begins to run on the current carrier. */
    @Hidden
    public static void mount(Object thread) {
        long slot = DuckTrack.slot();
        U.putLong(null, slot + BASE, U.getLong(null, slot + OPEN));
        if (U.getLong(null, WAITING) != 0) {
            arrive(((Thread) thread).getId(), slot);
        }
    }

    /** It waits, or has ended. */
    @Hidden
    public static void unmount(Object thread) {
        long slot = DuckTrack.slot();
        if (U.getLong(null, slot + OPEN) != U.getLong(null, slot + BASE)) {
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
