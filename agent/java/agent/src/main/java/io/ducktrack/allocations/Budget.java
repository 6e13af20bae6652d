package io.ducktrack.allocations;

/** One limit of {@code ducktrack.toml}. */
public final class Budget {
    private final String kind;
    private final String name;
    private final String unit;
    private final long most;

    Budget(String kind, String name, String unit, long most) {
        this.kind = kind;
        this.name = name;
        this.unit = unit;
        this.most = most;
    }

    String kind() {
        return kind;
    }

    /** Of the test, benchmark, package or method. */
    public String name() {
        return name;
    }

    /** {@code objects} or {@code bytes}. */
    public String unit() {
        return unit;
    }

    /** The limit. */
    public long most() {
        return most;
    }

    /** Whether it is for a package or a site, not for a test or benchmark. */
    public boolean isOfScope() {
        return kind.equals("package") || kind.equals("site");
    }

    /** Whether objects of a site are limited by it. A test or benchmark has all sites. */
    public boolean has(AllocationSite site) {
        return kind.equals("package") ? site.isIn(name) : !kind.equals("site") || site.isAt(name);
    }
}
