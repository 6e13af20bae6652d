//! The graphs of real methods with allocations, as the path algorithms see them.

use ducktrack_benches::ClassCorpus;
use ducktrack_classfile::{ClassFile, Code, Opcode};
use ducktrack_flow_graph::MethodGraph;
use ducktrack_path_counters::{BlockId, Graph, GraphBuilder, SiteId};

/// The instructions that allocate by themselves.
const ALLOCATING: [Opcode; 4] = [
    Opcode::NEW,
    Opcode::NEWARRAY,
    Opcode::ANEWARRAY,
    Opcode::MULTIANEWARRAY,
];

/// Calls `visit` with the code of every method of the corpus.
pub(crate) fn each_method(corpus: &ClassCorpus, mut visit: impl FnMut(&Code<'_>)) {
    for bytes in &corpus.classes {
        let Ok(class) = ClassFile::parse(bytes) else {
            continue;
        };
        for method in class.methods() {
            if let Some(code) = method.code() {
                visit(&code);
            }
        }
    }
}

/// The shapes of all methods with allocations.
pub(crate) fn shapes(corpus: &ClassCorpus) -> Vec<Graph> {
    let mut shapes = Vec::new();
    each_method(corpus, |code| {
        let Ok(graph) = MethodGraph::build(code) else {
            return;
        };
        if graph
            .instructions()
            .iter()
            .any(|instruction| ALLOCATING.contains(&instruction.opcode))
        {
            shapes.extend(shape(&graph));
        }
    });
    shapes
}

fn shape(graph: &MethodGraph<'_>) -> Option<Graph> {
    let block = |index: usize| u32::try_from(index).map(BlockId::new).ok();
    let mut builder = GraphBuilder::new(graph.blocks().len());
    for edge in graph.edges() {
        builder.edge(block(edge.from().index())?, block(edge.to().index())?);
    }
    for handler in graph.handler_entries() {
        builder.exceptional_edge(block(handler.index())?);
    }
    let mut site = 0;
    for id in graph.block_ids() {
        for instruction in graph.instructions_of(id) {
            if ALLOCATING.contains(&instruction.opcode) {
                builder.site(block(id.index())?, SiteId::new(site));
                site += 1;
            }
        }
    }
    builder.build().ok()
}
