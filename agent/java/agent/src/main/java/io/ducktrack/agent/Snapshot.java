package io.ducktrack.agent;

import io.ducktrack.allocations.Allocations;

/** What was counted until now. It is in the recording, too. */
public final class Snapshot extends Answer {
    Snapshot(String json) {
        super(json);
    }

    /** The number of the snapshot in the recording, from 0. */
    public long number() {
        return number("snapshot");
    }

    /**
     * The executed allocations of all threads since the recording began, by site.
     *
     * @throws RefusedException if the mode counts nothing by itself: the recording has all of it for {@code ducktrack report}
     */
    public Allocations allocations() {
        if (!fields.containsKey("sites")) {
            throw new RefusedException("only mode=count answers with allocations; read the recording with: ducktrack report " + directory());
        }
        return Allocations.ofSites(Json.objects(fields.get("sites")));
    }

    /** Objects that found no room in the agent's table of callers: no site has them. */
    public long objectsWithoutSite() {
        return number("objects_without_site");
    }
}
