package io.ducktrack.junit;

import io.ducktrack.allocations.Holder;
import io.ducktrack.allocations.Place;
import io.ducktrack.allocations.SurvivorGroup;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** The message of objects that stay: how many, who made them, who holds them, what would fix it. */
final class SurvivorText {
    private static final int MOST_GROUPS = 5;
    private static final int MOST_REFERENCES = 8;

    private SurvivorText() {}

    /** {@code accept}: the annotation that accepts them, or null. */
    static String of(String summary, List<SurvivorGroup> groups, String accept) {
        StringBuilder text = new StringBuilder(summary);
        for (SurvivorGroup group : groups.subList(0, Math.min(MOST_GROUPS, groups.size()))) {
            line(text, "  " + FailureText.counted(group.objects(), group.type()) + " (" + group.bytes() + " bytes)" + withIt(group));
            line(text, "    made at  " + made(group));
            List<String> chain = chain(group);
            line(text, "    held by  " + (chain.isEmpty() ? "(not known)" : String.join(" -> ", chain)));
            line(text, "    to fix:  " + fix(group));
        }
        if (groups.size() > MOST_GROUPS) {
            line(text, "  and " + (groups.size() - MOST_GROUPS) + " more kinds of objects");
        }
        if (accept != null) {
            line(text, "To accept: " + accept);
        }
        return text.toString();
    }

    private static void line(StringBuilder text, String line) {
        text.append(System.lineSeparator()).append(line);
    }

    private static String withIt(SurvivorGroup group) {
        if (group.withIt().isEmpty()) {
            return "";
        }
        long objects = group.withIt().stream().mapToLong(SurvivorGroup::objects).sum();
        long bytes = group.withIt().stream().mapToLong(SurvivorGroup::bytes).sum();
        List<String> types = new ArrayList<>();
        for (SurvivorGroup other : group.withIt()) {
            if (!types.contains(other.type())) {
                types.add(other.type());
            }
        }
        // A reader knows the types of the program, not those inside of a map.
        types.sort(java.util.Comparator.comparing(SurvivorText::isOfTheJdk));
        String more = types.size() > 3 ? ", ..." : "";
        return " with " + FailureText.counted(objects, "object") + " more (" + bytes + " bytes): " + String.join(", ", types.subList(0, Math.min(3, types.size()))) + more;
    }

    /** The allocation, and the innermost call of code that is not the JDK's. */
    private static String made(SurvivorGroup group) {
        if (group.calls().isEmpty()) {
            return "(not known)";
        }
        Place place = group.calls().get(0);
        for (Place call : group.calls()) {
            if (!isOfTheJdk(call.className())) {
                return call == place ? place.toString() : place + ", called by " + call;
            }
        }
        return place.toString();
    }

    private static boolean isOfTheJdk(String name) {
        return name.startsWith("java.") || name.startsWith("jdk.") || name.startsWith("sun.") || name.startsWith("javax.") || name.indexOf('.') < 0 && name.endsWith("[]");
    }

    /** From the root to the object; a list's nodes once. */
    private static List<String> chain(SurvivorGroup group) {
        List<String> steps = new ArrayList<>();
        for (Holder holder : group.holders()) {
            String step = holder.toString();
            if (steps.isEmpty() || !steps.get(steps.size() - 1).equals(step)) {
                steps.add(step);
            }
        }
        Collections.reverse(steps);
        return steps.size() <= MOST_REFERENCES ? steps : shortened(steps);
    }

    private static List<String> shortened(List<String> steps) {
        List<String> both = new ArrayList<>(steps.subList(0, MOST_REFERENCES - 2));
        both.add("...");
        both.add(steps.get(steps.size() - 1));
        return both;
    }

    /** By the reference of the program's code that is nearest to the object; it is the program that can let go. */
    private static String fix(SurvivorGroup group) {
        Holder nearest = null;
        for (Holder holder : group.holders()) {
            if (holder.group() < 0 && !isOfTheJdk(holder.className()) && !holder.field().isEmpty()) {
                nearest = holder;
                break;
            }
        }
        Holder root = group.holders().isEmpty() ? null : group.holders().get(group.holders().size() - 1);
        boolean ofThread = group.holders().stream().anyMatch(holder -> holder.className().startsWith("java.lang.ThreadLocal$ThreadLocalMap"));
        if (ofThread) {
            return "call remove() on the ThreadLocal when the work of the thread is done";
        }
        if (nearest != null) {
            return "remove it from " + nearest + " when it is no longer used, or give that a bound";
        }
        if (root == null) {
            return "not known: no chain of references was found";
        }
        switch (root.kind()) {
            case "thread": return "end the thread, or let it drop the reference";
            case "jni": return "native code must delete its global reference";
            case "static": return "undo at the end what registered it in " + root;
            default: return "find why " + root + " still refers to it";
        }
    }
}
