//! Classes parsed per second: all classes of `java.base`, headers only and with every instruction decoded.

use criterion::{BenchmarkGroup, Criterion, Throughput, measurement::WallTime};
use ducktrack_benches::ClassCorpus;
use ducktrack_classfile::ClassFile;

fn methods(bytes: &[u8]) -> usize {
    ClassFile::parse(bytes).map_or(0, |class| class.methods().len())
}

fn instructions(bytes: &[u8]) -> usize {
    let Ok(class) = ClassFile::parse(bytes) else {
        return 0;
    };
    let codes = class.methods().filter_map(|method| method.code());
    codes
        .map(|code| code.instructions().filter(Result::is_ok).count())
        .sum()
}

fn bench(
    group: &mut BenchmarkGroup<'_, WallTime>,
    name: &str,
    corpus: &ClassCorpus,
    work: fn(&[u8]) -> usize,
) {
    group.bench_function(name, |bencher| {
        bencher.iter(|| {
            corpus
                .classes
                .iter()
                .map(|class| work(class))
                .sum::<usize>()
        })
    });
}

fn main() {
    let corpus = ClassCorpus::java_base().expect("the classes of a JDK");
    let mut criterion = Criterion::default().sample_size(10).configure_from_args();
    let mut group = criterion.benchmark_group("classes parsed");
    group.throughput(Throughput::Elements(corpus.classes.len() as u64));
    bench(&mut group, "members", &corpus, methods);
    bench(&mut group, "every instruction", &corpus, instructions);
    group.finish();
    criterion.final_summary();
}
