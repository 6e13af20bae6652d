//! Graphs built per second: every method of `java.base`, and its loops and dominators.

mod method_shapes;

use criterion::{Criterion, Throughput};
use ducktrack_benches::ClassCorpus;
use ducktrack_flow_graph::{LoopStructure, MethodGraph};
use method_shapes::{each_method, shapes};

fn graphs(corpus: &ClassCorpus) -> usize {
    let mut blocks = 0;
    each_method(corpus, |code| {
        blocks += MethodGraph::build(code).map_or(0, |graph| graph.blocks().len())
    });
    blocks
}

fn loops(corpus: &ClassCorpus) -> usize {
    let mut built = 0;
    each_method(corpus, |code| {
        if let Ok(graph) = MethodGraph::build(code) {
            std::hint::black_box(LoopStructure::of(&graph));
            built += 1;
        }
    });
    built
}

fn main() {
    let corpus = ClassCorpus::java_base().expect("the classes of a JDK");
    let methods = loops(&corpus) as u64;
    let allocating = shapes(&corpus).len();
    println!("{methods} methods, {allocating} of them allocate");
    let mut criterion = Criterion::default().sample_size(10).configure_from_args();
    let mut group = criterion.benchmark_group("graphs built");
    group.throughput(Throughput::Elements(methods));
    group.bench_function("blocks and edges", |bencher| {
        bencher.iter(|| graphs(&corpus))
    });
    group.bench_function("with loops", |bencher| bencher.iter(|| loops(&corpus)));
    group.finish();
    criterion.final_summary();
}
