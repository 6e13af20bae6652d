package ducktrack.workloads.groovy;

import ducktrack.harness.Checksum;
import ducktrack.harness.Run;
import ducktrack.harness.Workload;
import groovy.lang.Binding;
import groovy.lang.GroovyShell;

/** Scripts compiled to classes, loaded, run and forgotten: class loading all the time. */
public final class GroovyScripts implements Workload {
    private static final int SCRIPTS = 25;
    private static final String TEMPLATE = """
            class Node# { String name; int weight; List<Node#> children = []
              int total() { weight + children.collect { it.total() }.sum(0) } }
            def grow(depth, seed) {
              def node = new Node#(name: "n${depth}-${seed}", weight: (seed * 31 + depth) % 17)
              if (depth > 0) { (1..3).each { node.children << grow(depth - 1, seed * 3 + it) } }
              node
            }
            def tree = grow(4, # + start)
            def words = (1..60).collect { "w${(it * it + #) % 23}" }
            def counts = words.countBy { it }.sort { a, b -> b.value <=> a.value ?: a.key <=> b.key }
            def text = counts.collect { key, value -> "$key=$value" }.join(',')
            "${tree.total()} $text ${(1..20).inject(1G) { product, n -> product * n }}"
            """;

    @Override
    public void prepare(Run run) {
        // The scripts are made where they are compiled.
    }

    @Override
    public long iterate(Run run) {
        Checksum checksum = new Checksum();
        for (int i = 0; i < SCRIPTS * run.size(); i++) {
            Binding binding = new Binding();
            binding.setVariable("start", i);
            Object result = new GroovyShell(GroovyScripts.class.getClassLoader(), binding)
                    .evaluate(TEMPLATE.replace("#", Integer.toString(i)));
            checksum.add(result.toString());
        }
        return checksum.value();
    }
}
