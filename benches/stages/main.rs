//! Single stages on the classes of `java.base`: parsing, graphs, placements of counters, rewriting.
//!
//! `scripts/bench stages [WORD ...]` takes the stages with one of the words in their names.

mod class_rewriter;
mod classfile;
mod flow_graph;
mod method_shapes;
mod path_counters;
mod stage;

use anyhow::{Result, ensure};
use ducktrack_benches::ClassCorpus;

fn main() -> Result<()> {
    let corpus = ClassCorpus::java_base()?;
    let shapes = method_shapes::shapes(&corpus);
    let mut stages = classfile::stages(&corpus);
    stages.extend(flow_graph::stages(&corpus));
    stages.extend(path_counters::stages(&shapes));
    stages.extend(class_rewriter::stages(&corpus));
    // cargo adds an option of its own.
    let arguments = std::env::args().skip(1);
    let words: Vec<String> = arguments.filter(|word| !word.starts_with('-')).collect();
    let names: Vec<&str> = stages.iter().map(|stage| stage.name).collect();
    if !words.is_empty() {
        stages.retain(|stage| words.iter().any(|word| stage.name.contains(word.as_str())));
    }
    ensure!(
        !stages.is_empty(),
        "no stage has {} in its name; there are: {}",
        words.join(" or "),
        names.join("; ")
    );
    print!("{}", stage::measure(&stages));
    Ok(())
}
