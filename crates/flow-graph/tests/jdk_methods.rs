//! Properties of every method's graph, checked on all methods of a JDK's java.base.
//!
//! The JDK is the one of `DUCKTRACK_JDK_17`, `DUCKTRACK_JDK_25` or `JAVA_HOME`, or one of /usr/lib/jvm.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use ducktrack_classfile::{ClassFile, Code, CodeOffset, Instruction};
use ducktrack_flow_graph::{EdgeKind, MethodGraph};

fn jimage() -> PathBuf {
    let named = ["DUCKTRACK_JDK_17", "DUCKTRACK_JDK_25", "JAVA_HOME"]
        .iter()
        .filter_map(std::env::var_os);
    let installed = fs::read_dir("/usr/lib/jvm")
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path().into());
    let homes = named
        .chain(installed)
        .map(|home| Path::new(&home).join("bin/jimage"));
    homes
        .into_iter()
        .find(|tool| tool.is_file())
        .expect("a JDK with jimage: set JAVA_HOME")
}

/// All class files of java.base, extracted once per build directory.
fn java_base() -> Vec<PathBuf> {
    let tool = jimage();
    let modules = tool.with_file_name("../lib/modules");
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("flow-graph-java-base");
    if !target.join("java.base").is_dir() {
        let status = Command::new(&tool)
            .args(["extract", "--include", "regex:/java.base/.*"])
            .arg(format!("--dir={}", target.display()))
            .arg(&modules)
            .status();
        assert!(
            status.expect("jimage runs").success(),
            "{} {}",
            tool.display(),
            modules.display()
        );
    }
    let mut classes = Vec::new();
    let mut folders = vec![target];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder").flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path
                .extension()
                .is_some_and(|extension| extension == "class")
            {
                classes.push(path);
            }
        }
    }
    classes
}

#[test]
fn graphs_of_java_base() {
    let (mut methods, mut blocks) = (0, 0);
    for path in java_base() {
        let bytes = fs::read(&path).expect("a file");
        let class =
            ClassFile::parse(&bytes).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        for method in class.methods() {
            let Some(code) = method.code() else { continue };
            let name = || {
                format!(
                    "{} {}",
                    path.display(),
                    String::from_utf8_lossy(method.name())
                )
            };
            let graph =
                MethodGraph::build(&code).unwrap_or_else(|error| panic!("{}: {error}", name()));
            assert!(!graph.has_subroutines(), "{}", name());
            assert_blocks_partition_the_code(&graph, &code);
            assert_flow_is_that_of_the_instructions(&graph);
            assert_handlers_are_marked(&graph, &code);
            methods += 1;
            blocks += graph.blocks().len();
        }
    }
    assert!(
        methods > 40_000 && blocks > 150_000,
        "{methods} methods, {blocks} blocks"
    );
}

fn assert_blocks_partition_the_code(graph: &MethodGraph<'_>, code: &Code<'_>) {
    let mut next = (CodeOffset(0), 0);
    for (id, block) in graph.block_ids().zip(graph.blocks()) {
        assert_eq!((block.first(), block.instruction_range().start), next);
        let instructions = graph.instructions_of(id);
        assert_eq!(
            instructions.first().map(|it| it.offset),
            Some(block.first())
        );
        assert_eq!(instructions.last().map(|it| it.offset), Some(block.last()));
        for instruction in instructions {
            assert_eq!(graph.block_at(instruction.offset), Some(id));
        }
        next = (block.end(), block.instruction_range().end);
    }
    assert_eq!(next, (code.end(), code.instructions().count()));
}

/// Where control continues after an instruction, from the specification alone; `None` is a return.
fn goes_to(instruction: &Instruction<'_>) -> BTreeSet<Option<CodeOffset>> {
    let mut to: BTreeSet<Option<CodeOffset>> = instruction.targets().map(Some).collect();
    match instruction.opcode.0 {
        0xa7 | 0xc8 | 0xaa | 0xab | 0xbf => {} // goto, goto_w, switches, athrow
        0xac..=0xb1 => {
            to.insert(None);
        }
        _ => {
            to.insert(Some(instruction.end()));
        }
    }
    to
}

fn assert_flow_is_that_of_the_instructions(graph: &MethodGraph<'_>) {
    for id in graph.block_ids() {
        let Some((last, inner)) = graph.instructions_of(id).split_last() else {
            panic!("{id} is empty")
        };
        for instruction in inner {
            assert_eq!(
                goes_to(instruction),
                BTreeSet::from([Some(instruction.end())])
            );
        }
        let first = |to| graph.block(to).map(|block| block.first());
        let by_edges: BTreeSet<Option<CodeOffset>> = graph
            .successors(id)
            .map(|(_, edge)| first(edge.to()))
            .collect();
        assert_eq!(by_edges, goes_to(last), "after {last:?}");
        for (_, edge) in graph.successors(id) {
            assert_eq!(edge.from(), id);
            match edge.kind() {
                EdgeKind::Branch(at) | EdgeKind::Switch(at) => assert_eq!(at, last.offset),
                EdgeKind::FallThrough => assert_eq!(first(edge.to()), Some(last.end())),
                EdgeKind::Return => assert_eq!(edge.to(), graph.exit()),
                EdgeKind::Entry => panic!("{id} is not ENTRY"),
            }
        }
    }
    let calls: Vec<_> = graph
        .successors(graph.entry())
        .map(|(_, edge)| (edge.kind(), edge.to().index()))
        .collect();
    assert_eq!(calls, [(EdgeKind::Entry, 0)]);
}

fn assert_handlers_are_marked(graph: &MethodGraph<'_>, code: &Code<'_>) {
    let mut marked = 0;
    for block in graph.blocks() {
        for &entry in block.handler_of() {
            let entry = code.exception_table().get(entry).expect("an entry");
            assert_eq!(entry.handler, block.first());
            marked += 1;
        }
    }
    assert_eq!(marked, code.exception_table().len());
}
