//! Random bytes as code give a graph or an error, never a panic; and dominators match their
//! definition.

use ducktrack_classfile::{ClassBuilder, ClassFile, CodeBuilder, Opcode, access};
use ducktrack_flow_graph::{BlockId, LoopStructure, MethodGraph};
use proptest::prelude::*;

fn class_with(code: CodeBuilder) -> Vec<u8> {
    let mut class = ClassBuilder::new(
        52,
        access::PUBLIC | access::SUPER,
        b"Random",
        b"java/lang/Object",
    );
    class
        .method(access::PUBLIC | access::STATIC, b"m", b"()V")
        .code(code)
        .expect("assembles");
    class.finish().expect("a class")
}

/// Opcodes that need no operands, branches with small offsets and switches, so that many sequences decode.
fn instruction() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        Just(vec![0]),
        Just(vec![0xb1]),
        Just(vec![0xbf]),
        (0x99..=0xa8u8, -20..20i8).prop_map(|(opcode, delta)| {
            let delta = i16::from(delta).to_be_bytes();
            vec![opcode, delta[0], delta[1]]
        }),
        prop::collection::vec(any::<u8>(), 1..6),
    ]
}

/// Blocks of three bytes each, ending with a conditional branch to another block.
fn branches(targets: &[u8]) -> CodeBuilder {
    let mut code = CodeBuilder::new(2, 2);
    let labels: Vec<_> = targets.iter().map(|_| code.label()).collect();
    for (position, target) in targets.iter().enumerate() {
        let to = labels[usize::from(*target) % labels.len()];
        code.place(labels[position]);
        if target % 5 == 0 {
            code.branch(Opcode::GOTO, to);
        } else {
            code.push_int(0).branch(Opcode::IFEQ, to);
        }
    }
    code.op(Opcode::RETURN);
    code
}

/// `above` dominates `below` if `below` cannot be reached from ENTRY without it.
fn dominates_by_definition(graph: &MethodGraph<'_>, above: BlockId, below: BlockId) -> bool {
    let mut seen = vec![false; graph.blocks().len() + 2];
    let mut open = vec![graph.entry()];
    while let Some(block) = open.pop() {
        if block != above && !std::mem::replace(&mut seen[block.index()], true) {
            open.extend(graph.successors(block).map(|(_, edge)| edge.to()));
        }
    }
    graph.reachable(true)[below.index()] && !seen[below.index()]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn random_code_never_panics(
        instructions in prop::collection::vec(instruction(), 1..20),
        rows in prop::collection::vec((0..40usize, 0..40usize, 0..40usize), 0..3),
    ) {
        let mut code = CodeBuilder::new(2, 2);
        let bytes = instructions.concat();
        let mut labels = Vec::new();
        for byte in &bytes {
            labels.push(code.here());
            code.bytes(&[*byte]);
        }
        labels.push(code.here());
        for (start, end, handler) in rows {
            let label = |at: usize| labels[at % labels.len()];
            code.exception(label(start), label(end), label(handler), None);
        }
        let bytes = class_with(code);
        let class = ClassFile::parse(&bytes).expect("parses");
        let code = class.methods().next().and_then(|method| method.code()).expect("code");
        if let Ok(graph) = MethodGraph::build(&code) {
            LoopStructure::of(&graph);
            let covered: usize = graph.block_ids().map(|block| graph.instructions_of(block).len()).sum();
            prop_assert_eq!(covered, graph.instructions().len());
        }
    }

    #[test]
    fn dominators_are_what_they_are_defined_to_be(targets in prop::collection::vec(any::<u8>(), 1..12)) {
        let bytes = class_with(branches(&targets));
        let class = ClassFile::parse(&bytes).expect("parses");
        let code = class.methods().next().and_then(|method| method.code()).expect("code");
        let graph = MethodGraph::build(&code).expect("a graph");
        let loops = LoopStructure::of(&graph);
        for above in graph.block_ids() {
            for below in graph.block_ids() {
                prop_assert_eq!(loops.dominates(above, below), dominates_by_definition(&graph, above, below));
            }
        }
    }
}
