package io.ducktrack.allocations;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Objects of one type, allocated by the same calls, that stay. */
public final class SurvivorGroup {
    private final String type;
    private final long objects;
    private final long bytes;
    private final int repetitions;
    final List<Place> calls = new ArrayList<>();
    final List<Holder> holders = new ArrayList<>();
    final List<SurvivorGroup> withIt = new ArrayList<>();

    SurvivorGroup(String type, long objects, long bytes, int repetitions) {
        this.type = type;
        this.objects = objects;
        this.bytes = bytes;
        this.repetitions = repetitions;
    }

    /** The type's name as {@link Class#getTypeName} gives it. */
    public String type() {
        return type;
    }

    /** How many objects of all repetitions stay. */
    public long objects() {
        return objects;
    }

    /** Their bytes. */
    public long bytes() {
        return bytes;
    }

    /** Repetitions that left some. */
    public int repetitions() {
        return repetitions;
    }

    /** The calls that allocated them, the allocation first. */
    public List<Place> calls() {
        return Collections.unmodifiableList(calls);
    }

    /** The shortest chain of references that holds the oldest of them, from the object outward. */
    public List<Holder> holders() {
        return Collections.unmodifiableList(holders);
    }

    /** After {@link Survivors#leaks}: the groups that stay because this one does. */
    public List<SurvivorGroup> withIt() {
        return Collections.unmodifiableList(withIt);
    }
}
