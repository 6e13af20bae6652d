//! Graphs built: every method, and its loops and dominators.

use ducktrack_benches::ClassCorpus;
use ducktrack_flow_graph::{LoopStructure, MethodGraph};

use crate::method_shapes::each_method;
use crate::stage::Stage;

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

fn stage<'a>(
    corpus: &'a ClassCorpus,
    name: &'static str,
    work: fn(&ClassCorpus) -> usize,
) -> Stage<'a> {
    Stage {
        name,
        unit: "methods",
        elements: loops(corpus),
        work: Box::new(move || work(corpus)),
    }
}

pub(crate) fn stages(corpus: &ClassCorpus) -> Vec<Stage<'_>> {
    vec![
        stage(corpus, "graphs of blocks and edges", graphs),
        stage(corpus, "graphs with loops", loops),
    ]
}
