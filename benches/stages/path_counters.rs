//! Counter placements per second: every method of `java.base` that allocates.

mod method_shapes;

use criterion::{Criterion, Throughput};
use ducktrack_benches::ClassCorpus;
use ducktrack_path_counters::{Frequencies, Graph, Limits, PathSet, choose};
use method_shapes::{each_method, shapes};

fn paths(shapes: &[Graph]) -> usize {
    shapes
        .iter()
        .map(|shape| {
            PathSet::build(shape, &Frequencies::estimated(shape))
                .paths()
                .len()
        })
        .sum()
}

fn placements(shapes: &[Graph]) -> usize {
    let limits = Limits::default();
    let counters = |shape: &Graph| {
        choose(shape, &Frequencies::estimated(shape), &limits)
            .placement
            .counters()
            .len()
    };
    shapes.iter().map(counters).sum()
}

fn main() {
    let corpus = ClassCorpus::java_base().expect("the classes of a JDK");
    let mut methods = 0;
    each_method(&corpus, |_| methods += 1);
    let shapes = shapes(&corpus);
    println!(
        "{methods} methods, {} of them allocate, {} counters",
        shapes.len(),
        placements(&shapes)
    );
    let mut criterion = Criterion::default().sample_size(10).configure_from_args();
    let mut group = criterion.benchmark_group("placements");
    group.throughput(Throughput::Elements(shapes.len() as u64));
    group.bench_function("paths", |bencher| bencher.iter(|| paths(&shapes)));
    group.bench_function("best placement", |bencher| {
        bencher.iter(|| placements(&shapes))
    });
    group.finish();
    criterion.final_summary();
}
