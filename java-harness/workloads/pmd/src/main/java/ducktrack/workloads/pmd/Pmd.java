package ducktrack.workloads.pmd;

import ducktrack.harness.Checksum;
import ducktrack.harness.Run;
import ducktrack.harness.SourceFiles;
import ducktrack.harness.Workload;
import java.util.Map;
import java.util.TreeMap;
import net.sourceforge.pmd.PMDConfiguration;
import net.sourceforge.pmd.PmdAnalysis;
import net.sourceforge.pmd.RuleViolation;
import net.sourceforge.pmd.lang.LanguageRegistry;

/** PMD's quick-start rules for Java on real sources; the checksum holds how often each rule was broken. */
public final class Pmd implements Workload {
    private Map<String, String> sources;

    @Override
    public void prepare(Run run) throws Exception {
        sources = SourceFiles.read(run.target(), "org/apache/commons/math3/linear/");
    }

    @Override
    public long iterate(Run run) {
        PMDConfiguration configuration = new PMDConfiguration();
        configuration.setThreads(0);
        configuration.setIgnoreIncrementalAnalysis(true);
        configuration.setDefaultLanguageVersion(LanguageRegistry.getLanguage("Java").getVersion("11"));
        Map<String, Integer> broken = new TreeMap<>();
        for (int i = 0; i < run.size(); i++) {
            try (PmdAnalysis analysis = PmdAnalysis.create(configuration)) {
                analysis.addRuleSet(analysis.newRuleSetLoader().loadFromResource("rulesets/java/quickstart.xml"));
                sources.forEach((path, text) -> analysis.files().addSourceFile(text, path));
                for (RuleViolation violation : analysis.performAnalysisAndCollectReport().getViolations()) {
                    broken.merge(violation.getRule().getName(), 1, Integer::sum);
                }
            }
        }
        Checksum checksum = new Checksum();
        broken.forEach((rule, count) -> checksum.add(rule).add(count));
        return checksum.value();
    }
}
