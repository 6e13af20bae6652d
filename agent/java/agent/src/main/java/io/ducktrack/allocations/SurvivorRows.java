package io.ducktrack.allocations;

import java.util.ArrayList;
import java.util.List;

/** Reads the lines that the agent gives for what stays. */
final class SurvivorRows {
    final List<SurvivorGroup> groups = new ArrayList<>();

    SurvivorRows(String text) {
        for (String line : text.split("\n")) {
            if (!line.isEmpty()) {
                read(line.split("\t", -1));
            }
        }
    }

    private void read(String[] fields) {
        switch (fields[0]) {
            case "lost":
                if (!fields[1].equals("0")) {
                    throw Unknown.because("the agent could not mark " + fields[1] + " objects, so it is not known what stays");
                }
                break;
            case "group":
                groups.add(new SurvivorGroup(Rows.type(fields[2]), Long.parseLong(fields[3]), Long.parseLong(fields[4]), Integer.parseInt(fields[5])));
                break;
            case "at":
                last().calls.add(Rows.place(fields, 1));
                break;
            case "by":
                last().holders.add(new Holder(fields[1], Rows.type(fields[2]), fields[3], fields[4].isEmpty() ? -1 : Integer.parseInt(fields[4])));
                break;
            default:
                throw new IllegalStateException("the ducktrack agent in this JVM does not fit this library: use both of one release");
        }
    }

    private SurvivorGroup last() {
        return groups.get(groups.size() - 1);
    }
}
