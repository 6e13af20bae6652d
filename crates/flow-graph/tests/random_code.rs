//! Random bytes as code give a graph or an error, never a panic.

use ducktrack_classfile::{ClassBuilder, ClassFile, CodeBuilder, access};
use ducktrack_flow_graph::MethodGraph;
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
            let covered: usize = graph.block_ids().map(|block| graph.instructions_of(block).len()).sum();
            prop_assert_eq!(covered, graph.instructions().len());
        }
    }
}
