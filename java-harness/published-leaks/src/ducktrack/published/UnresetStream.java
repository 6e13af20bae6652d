package ducktrack.published;

import java.io.ObjectOutputStream;
import java.io.OutputStream;
import java.io.Serializable;

/**
 * Readings of a sensor, written to one stream of objects. The stream keeps each object that was written (SEI CERT SER10-J). The control resets it.
 *
 * <p>KIND serialization HALF held-out HEAP 32
 *
 * <p>CULPRIT java.io.ObjectOutputStream.handles java.io.ObjectOutputStream$HandleTable.objs
 */
public final class UnresetStream {
    private static final boolean IS_REPAIRED = Boolean.getBoolean("ducktrack.leaks.repaired");

    private UnresetStream() {}

    private static final class Reading implements Serializable {
        private static final long serialVersionUID = 1;
        private final int number;
        private final byte[] values = new byte[120];

        Reading(int number) {
            this.number = number;
            values[number % values.length] = 1;
        }
    }

    /** Takes no words. */
    public static void main(String[] words) throws Exception {
        try (ObjectOutputStream out = new ObjectOutputStream(OutputStream.nullOutputStream())) {
            for (int number = 0; number < 70_000; number++) {
                out.writeObject(new Reading(number));
                if (IS_REPAIRED && number % 100 == 0) {
                    out.reset();
                }
            }
            System.exit(0);
        }
    }
}
