package io.ducktrack.allocations;

import java.util.Objects;

/** A line of a method. */
public final class Place {
    private final String className;
    private final String method;
    private final int line;

    Place(String className, String method, int line) {
        this.className = className;
        this.method = method;
        this.line = line;
    }

    /** The class's name, with points; classes that the JVM makes while it runs have no number. */
    public String className() {
        return className;
    }

    /** The method's name. */
    public String method() {
        return method;
    }

    /** The line, or 0 where it is not known. */
    public int line() {
        return line;
    }

    /** The same place in any version of its source. */
    String withoutLine() {
        return className + "." + method;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Place && ((Place) other).toString().equals(toString());
    }

    @Override
    public int hashCode() {
        return Objects.hash(className, method, line);
    }

    @Override
    public String toString() {
        return line == 0 ? withoutLine() : withoutLine() + ":" + line;
    }
}
