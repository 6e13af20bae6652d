package ducktrack.workloads.jdk;

import ducktrack.harness.Words;
import java.io.Serializable;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Date;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;

/** A node of a graph to serialize: lists, maps, dates, decimals, arrays, and a cycle through its parent. */
final class Folder implements Serializable {
    private static final long serialVersionUID = 1;

    private final Folder parent;
    private final String name;
    private final Date changed;
    private final int[] sizes;
    private final ArrayList<Folder> children = new ArrayList<>();
    private final LinkedHashMap<String, BigDecimal> prices = new LinkedHashMap<>();
    private final TreeMap<Integer, String> index = new TreeMap<>();

    private Folder(Words words, Folder parent) {
        this.parent = parent;
        name = words.word();
        changed = new Date(1_700_000_000_000L + words.number(1_000_000));
        sizes = new int[] {words.number(9), words.number(99), words.number(999)};
        for (int i = 0; i < 4; i++) {
            prices.put(words.word(), BigDecimal.valueOf(words.number(100_000), 2));
            index.put(words.number(1000), words.word());
        }
    }

    static Folder generate(Words words, Folder parent, int depth) {
        Folder folder = new Folder(words, parent);
        for (int i = 0; depth > 0 && i < 3; i++) {
            folder.children.add(generate(words, folder, depth - 1));
        }
        return folder;
    }

    /** Depends on every value of the graph. */
    long sum() {
        long sum = name.hashCode() + changed.getTime() + (parent == null ? 0 : parent.name.hashCode());
        for (int size : sizes) {
            sum = sum * 31 + size;
        }
        for (Map.Entry<String, BigDecimal> price : prices.entrySet()) {
            sum += price.getKey().hashCode() * price.getValue().unscaledValue().longValue();
        }
        sum += index.hashCode();
        for (Folder child : children) {
            sum = sum * 31 + child.sum();
        }
        return sum;
    }

}
