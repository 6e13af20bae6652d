package io.ducktrack.junit;

import io.ducktrack.allocations.SurvivorGroup;
import io.ducktrack.allocations.Survivors;
import java.util.ArrayList;
import java.util.List;

/** At most so many objects of a class stay after one run. */
final class SurvivorCountLimit implements SurvivorLimit {
    private final String test;
    private final Class<?> type;
    private final long most;

    SurvivorCountLimit(String test, Class<?> type, long most) {
        this.test = test;
        this.type = type;
        this.most = most;
    }

    @Override
    public int repetitions() {
        return 1;
    }

    @Override
    public String broken(Survivors found) {
        long stay = found.of(type);
        if (stay <= most) {
            return null;
        }
        List<SurvivorGroup> groups = new ArrayList<>(found.groups());
        groups.removeIf(group -> !group.type().equals(type.getTypeName()));
        String summary = test + " leaves " + FailureText.counted(stay, type.getTypeName()) + ", the limit is " + most;
        return SurvivorText.of(summary, groups, "@MaxSurvivors(type = " + type.getSimpleName() + ".class, value = " + stay + ")");
    }
}
