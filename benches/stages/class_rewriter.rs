//! Classes rewritten per second: all classes of `java.base`, with both kinds of counters.

use criterion::{Criterion, Throughput};
use ducktrack_benches::ClassCorpus;
use ducktrack_class_rewriter::{
    ClassRewriter, CounterChoice, Numbers, RewriteOptions, SiteKey, TrackedMethods,
};

/// Numbers without an end: what a site is called costs the same whichever it is.
#[derive(Default)]
struct Consecutive {
    sites: u32,
    counters: u32,
}

impl Numbers for Consecutive {
    fn site(&mut self, key: SiteKey) -> Option<u32> {
        self.levels(key, 1)
    }

    fn levels(&mut self, _: SiteKey, count: u8) -> Option<u32> {
        let first = self.sites + 1;
        self.sites += u32::from(count);
        Some(first)
    }

    fn counters(&mut self, count: u32) -> Option<u32> {
        // Wraps far below the size of a counter block, so that no method is refused for want of room.
        self.counters = (self.counters + count) % 10_000;
        Some(self.counters)
    }

    fn call_site(&mut self, key: SiteKey) -> Option<u32> {
        self.site(key)
    }
}

fn rewrite(
    corpus: &ClassCorpus,
    options: &RewriteOptions,
    tracked: &TrackedMethods,
) -> (usize, usize) {
    let rewriter = ClassRewriter {
        options,
        tracked,
        hidden: false,
    };
    let (mut rewritten, mut refused) = (0, 0);
    for class in &corpus.classes {
        match rewriter.rewrite(class, &[], &mut Consecutive::default()) {
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
    for (name, counters) in [
        ("counters=path", CounterChoice::Path),
        ("counters=site", CounterChoice::Site),
    ] {
        let options = RewriteOptions {
            counters,
            histogram: false,
            materialized: false,
            profile: true,
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
