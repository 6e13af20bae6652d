package ducktrack.harness;

/** An order-dependent 64-bit checksum (FNV-1a over the bytes given). */
public final class Checksum {
    private static final long OFFSET = 0xcbf29ce484222325L;
    private static final long PRIME = 0x100000001b3L;

    private long value = OFFSET;

    /** Adds the eight bytes of a number. */
    public Checksum add(long number) {
        for (int shift = 0; shift < Long.SIZE; shift += Byte.SIZE) {
            value = (value ^ (number >>> shift & 0xff)) * PRIME;
        }
        return this;
    }

    /** Adds the chars of a text, and its length. */
    public Checksum add(CharSequence text) {
        for (int i = 0; i < text.length(); i++) {
            value = (value ^ text.charAt(i)) * PRIME;
        }
        return add(text.length());
    }

    /** Adds the first {@code length} bytes. */
    public Checksum add(byte[] bytes, int length) {
        for (int i = 0; i < length; i++) {
            value = (value ^ (bytes[i] & 0xff)) * PRIME;
        }
        return add(length);
    }

    /** What all that was added so far comes to. */
    public long value() {
        return value;
    }
}
