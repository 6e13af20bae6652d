//! Classes rewritten per second: all classes of `java.base`, with both kinds of counters.

use criterion::{Criterion, Throughput};
use ducktrack_benches::ClassCorpus;
use ducktrack_class_rewriter::{
    AllocationProbes, ClassRewriter, ConsecutiveNumbers, RewriteOptions, Stamps, ThreadTotals,
    TrackedMethods,
};

fn rewrite(
    corpus: &ClassCorpus,
    options: &RewriteOptions,
    tracked: &TrackedMethods,
) -> (usize, usize) {
    let rewriter = ClassRewriter {
        options,
        tracked,
        application: None,
        contexts: None,
        hidden: false,
        stamps: Stamps::None,
    };
    let (mut rewritten, mut refused) = (0, 0);
    for class in &corpus.classes {
        match rewriter.rewrite(class, &[], &mut ConsecutiveNumbers::default()) {
            Ok(result) => rewritten += usize::from(result.bytes.is_some()),
            Err(_) => refused += 1,
        }
    }
    (rewritten, refused)
}

fn main() {
    let corpus = ClassCorpus::java_base().expect("the classes of a JDK");
    let tracked = TrackedMethods::built_in();
    let mut criterion = Criterion::default().sample_size(10).configure_from_args();
    let mut group = criterion.benchmark_group("classes rewritten");
    for (name, allocations) in [
        ("counters=path", AllocationProbes::PathCounters),
        ("counters=site", AllocationProbes::SiteCounters),
    ] {
        let options = RewriteOptions {
            allocations,
            histogram: false,
            materialized: false,
            joined_chains: true,
            totals: ThreadTotals::None,
            off_heap: true,
            calls: true,
            profile: true,
            redundant_stamps: false,
        };
        let (rewritten, refused) = rewrite(&corpus, &options, &tracked);
        println!(
            "{name}: {} classes, {rewritten} rewritten, {refused} refused",
            corpus.classes.len()
        );
        // Per class that was rewritten, the work on the others included.
        group.throughput(Throughput::Elements(rewritten as u64));
        group.bench_function(name, |bencher| {
            bencher.iter(|| rewrite(&corpus, &options, &tracked))
        });
    }
    group.finish();
    criterion.final_summary();
}
