//! Blocks and edges of small assembled methods, compared with drawings.

use ducktrack_classfile::{ClassBuilder, ClassFile, CodeBuilder, CodeOffset, Opcode, access};
use ducktrack_flow_graph::{BlockId, EdgeKind, Error, MethodGraph};
use ducktrack_path_counters::Hint;

/// Assembles a method and passes its graph to a check.
fn with_graph(
    write: impl FnOnce(&mut CodeBuilder),
    check: impl FnOnce(Result<MethodGraph<'_>, Error>),
) {
    let mut class = ClassBuilder::new(
        52,
        access::PUBLIC | access::SUPER,
        b"Fixture",
        b"java/lang/Object",
    );
    let mut code = CodeBuilder::new(4, 4);
    write(&mut code);
    class
        .method(access::PUBLIC | access::STATIC, b"m", b"(II)I")
        .code(code)
        .expect("assembles");
    let bytes = class.finish().expect("a class");
    let class = ClassFile::parse(&bytes).expect("parses");
    let code = class
        .methods()
        .next()
        .and_then(|method| method.code())
        .expect("code");
    check(MethodGraph::build(&code));
}

/// One line per block, such as `0..5 -> fall 1, branch 2`, and one for ENTRY.
fn draw(graph: &MethodGraph<'_>) -> Vec<String> {
    let ids = graph.block_ids().chain([graph.entry()]);
    ids.map(|id| {
        let name = graph.block(id).map_or("entry".to_owned(), |block| {
            format!("{}..{}", block.first(), block.end())
        });
        let handler = graph.block(id).filter(|block| block.is_handler_entry());
        let handler = handler.map_or(String::new(), |block| {
            format!(" handler {:?}", block.handler_of())
        });
        let edges: Vec<String> = graph
            .successors(id)
            .map(|(_, edge)| {
                let kind = match edge.kind() {
                    EdgeKind::Entry => "call",
                    EdgeKind::FallThrough => "fall",
                    EdgeKind::Branch(_) => "branch",
                    EdgeKind::Switch(_) => "switch",
                    EdgeKind::Return => "return",
                };
                let to = edge.to();
                if to == graph.exit() {
                    format!("{kind} exit")
                } else {
                    format!("{kind} {}", to.index())
                }
            })
            .collect();
        format!("{name}{handler} -> {}", edges.join(", "))
    })
    .collect()
}

#[test]
fn a_conditional_splits_and_joins() {
    with_graph(
        |code| {
            let (other, end) = (code.label(), code.label());
            code.local(Opcode::ILOAD, 0).branch(Opcode::IFEQ, other);
            code.push_int(1).branch(Opcode::GOTO, end);
            code.place(other).push_int(2).place(end).op(Opcode::IRETURN);
        },
        |graph| {
            let graph = graph.expect("a graph");
            assert_eq!(
                draw(&graph),
                [
                    "0..5 -> fall 1, branch 2",
                    "5..9 -> branch 3",
                    "9..10 -> fall 3",
                    "10..11 -> return exit",
                    "entry -> call 0"
                ]
            );
            assert_eq!(graph.block_at(CodeOffset(6)), Some(BlockId::new(1)));
            assert_eq!(graph.block_at(CodeOffset(11)), None);
            assert_eq!(graph.instructions_of(BlockId::new(1)).len(), 2);
        },
    );
}

#[test]
fn switch_cases_with_the_same_target_share_an_edge() {
    with_graph(
        |code| {
            let (one, two, default) = (code.label(), code.label(), code.label());
            code.local(Opcode::ILOAD, 0)
                .table_switch(5, default, &[one, two, one, default]);
            code.place(one).push_int(1).op(Opcode::IRETURN);
            code.place(two).op(Opcode::ACONST_NULL).op(Opcode::ATHROW);
            code.place(default).push_int(0).op(Opcode::IRETURN);
        },
        |graph| {
            let lines = draw(&graph.expect("a graph"));
            assert!(
                lines[0].ends_with("-> switch 1, switch 2, switch 3"),
                "{}",
                lines[0]
            );
            assert!(
                lines[2].ends_with("-> "),
                "athrow has no successor: {}",
                lines[2]
            );
        },
    );
}

/// A block does not end at a call that may throw; the handler is a separate block, without an edge into it.
#[test]
fn handlers_begin_blocks_but_calls_do_not_end_them() {
    with_graph(
        |code| {
            let (start, end, handler) = (code.label(), code.label(), code.label());
            code.place(start)
                .method(Opcode::INVOKESTATIC, b"A", b"f", b"()V");
            code.method(Opcode::INVOKESTATIC, b"A", b"g", b"()V")
                .place(end)
                .push_int(0)
                .op(Opcode::IRETURN);
            code.place(handler)
                .op(Opcode::POP)
                .push_int(1)
                .op(Opcode::IRETURN);
            code.exception(start, end, handler, Some(b"java/lang/Exception"));
            code.exception(start, end, handler, None);
        },
        |graph| {
            let graph = graph.expect("a graph");
            assert_eq!(
                draw(&graph),
                [
                    "0..8 -> return exit",
                    "8..11 handler [0, 1] -> return exit",
                    "entry -> call 0"
                ]
            );
            assert_eq!(
                graph.handler_entries().collect::<Vec<_>>(),
                [BlockId::new(1)]
            );
        },
    );
}

#[test]
fn null_is_unlikely() {
    with_graph(
        |code| {
            let null = code.label();
            code.op(Opcode::ACONST_NULL)
                .branch(Opcode::IFNULL, null)
                .push_int(1)
                .op(Opcode::IRETURN);
            code.place(null).push_int(0).op(Opcode::IRETURN);
        },
        |graph| {
            let graph = graph.expect("a graph");
            let expected: Vec<Hint> = graph
                .successors(BlockId::new(0))
                .map(|(_, edge)| edge.hint())
                .collect();
            assert_eq!(expected, [Hint::Likely, Hint::Unlikely]);
        },
    );
}

#[test]
fn subroutines_are_seen() {
    with_graph(
        |code| {
            let subroutine = code.label();
            code.branch(Opcode::JSR, subroutine)
                .push_int(0)
                .op(Opcode::IRETURN);
            code.place(subroutine)
                .local(Opcode::ASTORE, 2)
                .local(Opcode::RET, 2);
        },
        |graph| assert!(graph.expect("a graph").has_subroutines()),
    );
}

#[test]
fn code_that_falls_off_its_end_is_refused() {
    with_graph(
        |code| {
            code.push_int(1).op(Opcode::POP);
        },
        |graph| {
            assert_eq!(
                graph.err(),
                Some(Error::FallsOffTheEnd {
                    last: CodeOffset(1)
                })
            )
        },
    );
}

#[test]
fn a_branch_into_an_instruction_is_refused() {
    with_graph(
        |code| {
            // goto +4, to the second byte of the sipush after it
            code.bytes(&[167, 0, 4, 17, 1, 2, 172]);
        },
        |graph| {
            let expected = Error::BranchIntoInstruction {
                from: CodeOffset(0),
                target: CodeOffset(4),
            };
            assert_eq!(graph.err(), Some(expected));
        },
    );
}

#[test]
fn a_handler_inside_an_instruction_is_refused() {
    with_graph(
        |code| {
            let (start, end, inside) = (code.label(), code.label(), code.label());
            code.place(start)
                .bytes(&[17, 1])
                .place(inside)
                .bytes(&[2])
                .place(end)
                .op(Opcode::IRETURN);
            code.exception(start, end, inside, None);
        },
        |graph| {
            let expected = Error::BadExceptionEntry {
                entry: 0,
                offset: CodeOffset(2),
            };
            assert_eq!(graph.err(), Some(expected));
        },
    );
}
