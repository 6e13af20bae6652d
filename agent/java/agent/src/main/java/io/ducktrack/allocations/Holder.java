package io.ducktrack.allocations;

/** A reference that holds an object. */
public final class Holder {
    private final String kind;
    private final String className;
    private final String field;
    private final int group;

    Holder(String kind, String className, String field, int group) {
        this.kind = kind;
        this.className = className;
        this.field = field;
        this.group = group;
    }

    /** {@code field}, {@code element}, {@code static}, {@code thread}, {@code frame} (a local variable), {@code jni} or {@code vm}. */
    public String kind() {
        return kind;
    }

    /** The class of the referring object, or that of the static field. */
    public String className() {
        return className;
    }

    /** The field's name; empty where there is none. */
    public String field() {
        return field;
    }

    /** The number of the group of the referring object among {@link Survivors#groups}, or -1: it is not of the repetitions. */
    public int group() {
        return group;
    }

    @Override
    public String toString() {
        switch (kind) {
            case "static": return "static " + className + "." + field;
            case "field": return className + "." + field;
            case "element": return className;
            case "thread": return "a running thread (" + className + ")";
            case "frame": return "a local variable of a running method";
            case "jni": return "native code";
            default: return "the JVM";
        }
    }
}
