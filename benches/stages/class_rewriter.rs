//! Classes rewritten, with both kinds of counters.

use ducktrack_benches::ClassCorpus;
use ducktrack_class_rewriter::{
    AllocationProbes, ClassRewriter, ConsecutiveNumbers, RewriteOptions, Stamps, ThreadTotals,
    TrackedMethods,
};

use crate::stage::Stage;

/// Number of classes that were rewritten.
fn rewrite(corpus: &ClassCorpus, options: &RewriteOptions, tracked: &TrackedMethods) -> usize {
    let rewriter = ClassRewriter {
        options,
        tracked,
        application: None,
        contexts: None,
        hidden: false,
        stamps: Stamps::None,
    };
    let is_rewritten = |class: &&Vec<u8>| {
        let rewritten = rewriter.rewrite(class, &[], &mut ConsecutiveNumbers::default());
        rewritten.is_ok_and(|rewritten| rewritten.bytes.is_some())
    };
    corpus.classes.iter().filter(is_rewritten).count()
}

fn options(allocations: AllocationProbes) -> RewriteOptions {
    RewriteOptions {
        allocations,
        histogram: false,
        materialized: false,
        joined_chains: true,
        totals: ThreadTotals::None,
        off_heap: true,
        calls: true,
        profile: true,
        redundant_stamps: false,
    }
}

fn stage<'a>(
    corpus: &'a ClassCorpus,
    name: &'static str,
    allocations: AllocationProbes,
) -> Stage<'a> {
    let (options, tracked) = (options(allocations), TrackedMethods::built_in());
    Stage {
        name,
        unit: "rewritten classes",
        // The work on classes that need no rewriting is included.
        elements: rewrite(corpus, &options, &tracked),
        work: Box::new(move || rewrite(corpus, &options, &tracked)),
    }
}

pub(crate) fn stages(corpus: &ClassCorpus) -> Vec<Stage<'_>> {
    vec![
        stage(
            corpus,
            "rewritten, counters=path",
            AllocationProbes::PathCounters,
        ),
        stage(
            corpus,
            "rewritten, counters=site",
            AllocationProbes::SiteCounters,
        ),
    ]
}
