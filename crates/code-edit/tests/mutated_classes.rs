//! Damaged class files under every kind of edit give a class or a named refusal, never a
//! panic.

use ducktrack_classfile::{
    BuiltFrame, ClassBuilder, ClassFile, Code, CodeBuilder, FrameType, Opcode, PoolAppender, access,
};
use ducktrack_code_edit::{
    AddedHandler, Catch, CodeEdit, HandlerExit, Insertion, Place, ProtectedPlace, Rank, edit_code,
    rewrite_class_methods,
};
use proptest::prelude::*;

/// A class with branches, switches, handlers and every table with offsets.
fn class(filler: usize) -> Vec<u8> {
    let mut code = CodeBuilder::new(4, 6);
    let (end, other, caught) = (code.label(), code.label(), code.label());
    let start = code.here();
    code.line(1)
        .push_int(7)
        .branch(Opcode::IFEQ, other)
        .push_int(3)
        .table_switch(2, end, &[other, end]);
    code.place(other)
        .frame(&BuiltFrame::Append(&[FrameType::Top, FrameType::Double]))
        .bytes(&vec![0; filler]);
    code.push_int(3).lookup_switch(end, &[(1, other), (9, end)]);
    let new = code.here();
    code.frame(&BuiltFrame::Chop(1)).class(Opcode::NEW, b"A");
    code.frame(&BuiltFrame::Full(
        &[FrameType::Null],
        &[FrameType::Uninitialized(new)],
    ))
    .op(Opcode::POP);
    code.branch(Opcode::GOTO, start);
    code.place(end)
        .frame(&BuiltFrame::Same)
        .line(2)
        .op(Opcode::RETURN);
    code.place(caught)
        .frame(&BuiltFrame::SameLocals1(FrameType::Object(
            b"java/lang/Throwable",
        )));
    code.op(Opcode::ATHROW)
        .exception(new, end, caught, None)
        .variable(start, end, b"v", b"J", 0);
    code.attribute(
        b"RuntimeVisibleTypeAnnotations",
        &[0, 2, 0x44, 0, 0, 0, 0, 1, 0, 0, 0x42, 0, 0, 0, 0, 1, 0, 0],
    );
    let mut class = ClassBuilder::new(52, access::SUPER, b"Fixture", b"java/lang/Object");
    class
        .method(access::STATIC, b"m", b"(J[I)V")
        .code(code)
        .expect("code is complete");
    class.finish().expect("the pool is small")
}

/// An edit with insertions and handlers at every place of the code.
fn everywhere(code: &Code<'_>) -> CodeEdit {
    let mut places = vec![Place::Entry];
    let mut protects = Vec::new();
    for instruction in code.instructions().map_while(Result::ok) {
        let at = instruction.offset;
        places.extend([
            Place::Before(at),
            Place::FallThroughInto(at),
            Place::After(at),
        ]);
        places.extend(
            instruction
                .targets()
                .map(|to| Place::OnBranch { from: at, to }),
        );
        protects.push(ProtectedPlace::Instruction(at));
    }
    places.retain(|place| *place != Place::FallThroughInto(Default::default()));
    let probe = |place| Insertion {
        place,
        code: vec![Opcode::ICONST_0.0, Opcode::POP.0],
        stack: 1,
    };
    let handler = |row: usize, then| AddedHandler {
        protects: protects
            .iter()
            .copied()
            .filter(|p| protected(code, row, *p))
            .collect(),
        catch: if then == HandlerExit::Rethrow {
            Catch::Any
        } else {
            Catch::SameAs(row)
        },
        code: Vec::new(),
        stack: 0,
        then,
        rank: Rank::BeforeOriginal(row),
    };
    let rows = code.exception_table().iter().enumerate();
    let handlers = rows.flat_map(|(row, entry)| {
        [
            handler(row, HandlerExit::ContinueAt(entry.handler)),
            handler(row, HandlerExit::Rethrow),
        ]
    });
    CodeEdit {
        handlers: handlers.collect(),
        insertions: places.into_iter().map(probe).collect(),
        replacements: Vec::new(),
    }
}

fn protected(code: &Code<'_>, row: usize, protected: ProtectedPlace) -> bool {
    match (code.exception_table().get(row), protected) {
        (Some(row), ProtectedPlace::Instruction(at)) => row.protects(at),
        _ => false,
    }
}

/// Edits every method; returns how many could be edited.
fn edit(bytes: &[u8]) -> usize {
    let Ok(class) = ClassFile::parse(bytes) else {
        return 0;
    };
    let mut pool = PoolAppender::new(class.pool());
    let mut edited = Vec::new();
    for (position, method) in class.methods().enumerate() {
        let Some(code) = method.code() else { continue };
        if let Ok(new) = edit_code(&method, &everywhere(&code), &mut pool) {
            edited.push((position, new.attribute));
        }
    }
    let codes = edited
        .iter()
        .map(|(position, code)| (*position, code.as_slice()));
    let rewritten = rewrite_class_methods(&class, codes, &pool).expect("all of them have code");
    let class = ClassFile::parse(&rewritten).expect("a rewritten class is sound");
    for code in class.methods().filter_map(|method| method.code()) {
        let sound = code.instructions().all(|instruction| instruction.is_ok());
        assert!(sound || edited.is_empty(), "edited code decodes");
    }
    edited.len()
}

#[test]
fn the_undamaged_class_is_edited() {
    assert_eq!(edit(&class(0)), 1);
    // The same with long distances.
    assert_eq!(edit(&class(9_000)), 1);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3_000))]

    #[test]
    fn damaged_classes_never_panic(damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6)) {
        let mut bytes = class(0);
        for (place, value) in damage {
            let place = place.index(bytes.len());
            bytes[place] = value;
        }
        edit(&bytes);
    }
}
