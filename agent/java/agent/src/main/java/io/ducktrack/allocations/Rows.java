package io.ducktrack.allocations;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/** Reads the lines that the agent gives for a measurement. */
final class Rows {
    /** Numbers that the JVM gives to classes that it makes while it runs. */
    private static final Pattern NUMBERS = Pattern.compile("(\\$\\$Lambda|\\$\\$StringConcat|LambdaForm\\$[A-Z]+)[$/+.0-9a-fx]*|[/+.]0x[0-9a-f]+(/0x[0-9a-f]+)?|(?<=\\$Proxy)\\d+");

    final List<AllocationSite> sites;
    /** How this JVM lays objects out. */
    String layout = "";
    /** Objects that the agent had no room to file. */
    long lost;

    private final Map<String, AllocationSite> merged = new LinkedHashMap<>();

    Rows(String text) {
        for (String line : text.split("\n")) {
            if (!line.isEmpty()) {
                read(line.split("\t", -1));
            }
        }
        sites = new ArrayList<>(merged.values());
        sites.sort(Comparator.comparingLong((AllocationSite site) -> -site.objects).thenComparing(AllocationSite::toString));
    }

    /** Sites as the answer to a command has them. */
    Rows(List<Map<String, Object>> found) {
        for (Map<String, Object> site : found) {
            long objects = ((Number) site.get("objects")).longValue();
            long bytes = ((Number) site.get("bytes")).longValue();
            Map<?, ?> caller = (Map<?, ?>) site.get("caller");
            add(objects, bytes, type((String) site.get("type")), place(site), caller == null ? null : place(caller));
        }
        sites = new ArrayList<>(merged.values());
        sites.sort(Comparator.comparingLong((AllocationSite site) -> -site.bytes).thenComparing(AllocationSite::type));
    }

    private static Place place(Map<?, ?> place) {
        Number line = (Number) place.get("line");
        return new Place(name((String) place.get("class")), (String) place.get("method"), line == null ? 0 : line.intValue());
    }

    private void read(String[] fields) {
        if (fields[0].equals("layout")) {
            layout = fields[1] + "/" + fields[2] + "/" + fields[3] + "/" + fields[4];
        } else if (fields[0].equals("lost")) {
            lost = Long.parseLong(fields[1]);
        } else {
            add(Long.parseLong(fields[0]), Long.parseLong(fields[1]), type(fields[3]), place(fields, 4), fields[7].isEmpty() ? null : place(fields, 7));
        }
    }

    private void add(long objects, long bytes, String type, Place place, Place caller) {
        merged.merge(type + "\t" + place + "\t" + caller, new AllocationSite(type, place, caller, objects, bytes),
                (one, other) -> new AllocationSite(type, place, caller, one.objects + other.objects, one.bytes + other.bytes));
    }

    static Place place(String[] fields, int first) {
        String line = fields[first + 2];
        return new Place(name(fields[first]), fields[first + 1], line.isEmpty() ? 0 : Integer.parseInt(line));
    }

    private static String name(String internal) {
        return NUMBERS.matcher(internal).replaceAll("$1").replace('/', '.');
    }

    /** {@code [Ljava/lang/String;} is {@code java.lang.String[]}. */
    static String type(String descriptor) {
        int levels = 0;
        while (levels < descriptor.length() && descriptor.charAt(levels) == '[') {
            levels++;
        }
        String element = descriptor.substring(levels);
        String name = element.startsWith("L") && element.endsWith(";") ? name(element.substring(1, element.length() - 1)) : primitive(element);
        return name + "[]".repeat(levels);
    }

    private static String primitive(String element) {
        switch (element) {
            case "Z": return "boolean";
            case "B": return "byte";
            case "C": return "char";
            case "S": return "short";
            case "I": return "int";
            case "J": return "long";
            case "F": return "float";
            case "D": return "double";
            case "": return "(unknown)";
            default: return name(element);
        }
    }
}
