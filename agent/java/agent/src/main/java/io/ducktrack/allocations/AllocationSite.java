package io.ducktrack.allocations;

/** Objects of a type that were allocated at a place, filed under the caller that is to blame if the place is in a library. */
public final class AllocationSite {
    private final String type;
    private final Place place;
    private final Place caller;
    final long objects;
    final long bytes;

    AllocationSite(String type, Place place, Place caller, long objects, long bytes) {
        this.type = type;
        this.place = place;
        this.caller = caller;
        this.objects = objects;
        this.bytes = bytes;
    }

    /** The type's name as {@link Class#getTypeName} gives it. */
    public String type() {
        return type;
    }

    /** Where they were allocated. */
    public Place place() {
        return place;
    }

    /** The call that is to blame for a library's objects, or null. */
    public Place caller() {
        return caller;
    }

    /** How many objects. */
    public long objects() {
        return objects;
    }

    /** Their bytes, as this JVM lays objects out. */
    public long bytes() {
        return bytes;
    }

    /**
     * Whether the place or its caller is in a package or class: {@code com.acme.hot..} with its subpackages, {@code com.acme.Parser} with
     * its inner classes.
     */
    public boolean isIn(String pattern) {
        return matches(pattern, place) || caller != null && matches(pattern, caller);
    }

    /** Whether the place or its caller is in a method of this name: {@code com.acme.Parser.next}. */
    public boolean isAt(String method) {
        return place.withoutLine().equals(method) || caller != null && caller.withoutLine().equals(method);
    }

    private static boolean matches(String pattern, Place place) {
        String name = place.className();
        String start = pattern.endsWith("..") ? pattern.substring(0, pattern.length() - 2) : pattern;
        return name.equals(start) || name.startsWith(start + ".") || name.startsWith(start + "$");
    }

    @Override
    public String toString() {
        return objects + " " + type + " (" + bytes + " bytes) at " + place + (caller == null ? "" : ", called by " + caller);
    }
}
