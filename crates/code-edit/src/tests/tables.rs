//! Lines, local variables and type annotations.

use ducktrack_classfile::{
    BuiltFrame, CodeBuilder, CodeOffset, FrameType, LocalVariableTable, Opcode,
    TypeAnnotationTarget, TypeAnnotations,
};

use super::fixture::{edited, handler, insertions, probe, with_code};
use crate::{Catch, CodeEdit, HandlerExit, Place, Rank};

#[test]
fn lines_start_at_labels_and_the_first_at_the_entry() {
    let mut code = CodeBuilder::new(0, 0);
    code.line(10)
        .op(Opcode::NOP)
        .line(11)
        .op(Opcode::NOP)
        .line(12)
        .op(Opcode::RETURN);
    let edit = insertions(vec![
        probe(Place::Entry, 1),
        probe(Place::Before(CodeOffset(1)), 2),
        probe(Place::After(CodeOffset(1)), 3),
    ]);
    let bytes = edited(b"()V", code, &edit);
    let lines = with_code(&bytes, |code| {
        code.line_numbers()
            .iter()
            .map(|row| (row.start.0, row.line))
            .collect::<Vec<_>>()
    });
    // 0 entry | 3 nop | 4 probe, 7 nop | 8 probe of line 11 | 11 return
    assert_eq!(lines, [(0, 10), (4, 11), (11, 12)]);
    assert_eq!(
        with_code(&bytes, |code| code.line_numbers().line_at(CodeOffset(8))),
        Some(11)
    );
}

#[test]
fn ranges_of_variables_end_at_the_end_of_the_original_code() {
    let mut code = CodeBuilder::new(1, 2);
    let (start, all, end) = (code.label(), code.here(), code.label());
    code.op(Opcode::ICONST_0)
        .local(Opcode::ISTORE, 1)
        .place(start)
        .op(Opcode::NOP);
    code.op(Opcode::ACONST_NULL).op(Opcode::ATHROW).place(end);
    code.variable(all, end, b"parameter", b"I", 0)
        .variable(start, end, b"local", b"I", 1);
    let edit = CodeEdit {
        insertions: vec![
            probe(Place::Entry, 1),
            probe(Place::Before(CodeOffset(3)), 2),
        ],
        handlers: vec![handler(
            &[5],
            Catch::Any,
            HandlerExit::Rethrow,
            Rank::Last,
            3,
        )],
        replacements: Vec::new(),
    };
    let bytes = edited(b"(I)V", code, &edit);
    let rows = with_code(&bytes, |code| {
        let attribute = code
            .attributes()
            .find(b"LocalVariableTable")
            .expect("a table");
        let table = LocalVariableTable::parse(&attribute).expect("a sound table");
        table
            .iter()
            .map(|row| (row.start.0, row.end().0, row.local))
            .collect::<Vec<_>>()
    });
    assert_eq!(rows, [(0, 12, 0), (6, 12, 1)]);
}

/// An annotation with this target, of class 1 and without values.
fn annotation(target: &[u8]) -> Vec<u8> {
    [target, &[0, 0, 1, 0, 0]].concat()
}

#[test]
fn type_annotations_follow_instructions_ranges_and_rows() {
    let mut code = CodeBuilder::new(1, 1);
    let start = code.here();
    code.op(Opcode::NOP)
        .class(Opcode::NEW, b"A")
        .op(Opcode::ATHROW);
    let caught = code.here();
    code.exception(start, caught, caught, None);
    code.frame(&BuiltFrame::SameLocals1(FrameType::Object(
        b"java/lang/Throwable",
    )))
    .op(Opcode::ATHROW);
    let targets: [&[u8]; 5] = [
        &[0x44, 0, 1],
        &[0x4A, 0, 1, 9],
        &[0x42, 0, 0],
        &[0x40, 0, 1, 0, 1, 0, 5, 0, 0],
        &[0x13],
    ];
    let data = [&[0, 5][..], &targets.map(annotation).concat()].concat();
    code.attribute(b"RuntimeInvisibleTypeAnnotations", &data);
    let edit = CodeEdit {
        insertions: vec![probe(Place::Before(CodeOffset(1)), 1)],
        handlers: vec![handler(
            &[1],
            Catch::SameAs(0),
            HandlerExit::ContinueAt(CodeOffset(5)),
            Rank::BeforeOriginal(0),
            2,
        )],
        replacements: Vec::new(),
    };
    let bytes = edited(b"()V", code, &edit);
    let moved = with_code(&bytes, |code| {
        let attribute = code
            .attributes()
            .find(b"RuntimeInvisibleTypeAnnotations")
            .expect("annotations");
        let annotations = TypeAnnotations::parse(&attribute).expect("sound annotations");
        let shown = annotations
            .annotations()
            .iter()
            .map(|annotation| match annotation.target {
                TypeAnnotationTarget::Offset(at) => format!("offset {at}"),
                TypeAnnotationTarget::TypeArgument(at, argument) => {
                    format!("argument {argument} at {at}")
                }
                TypeAnnotationTarget::Catch(row) => format!("row {row}"),
                TypeAnnotationTarget::LocalVariable(ranges) => {
                    format!("ranges {:?}", ranges.iter().collect::<Vec<_>>())
                }
                TypeAnnotationTarget::Outside(bytes) => format!("outside {bytes:?}"),
            });
        shown.collect::<Vec<_>>()
    });
    // 0 nop | 1 probe | 4 new | 7 athrow | 8 athrow | 9 stub
    assert_eq!(
        moved,
        [
            "offset 4",
            "argument 9 at 4",
            "row 1",
            "ranges [(@1, 8, 0)]",
            "outside []"
        ]
    );
}

#[test]
fn an_unknown_attribute_is_dropped_and_counted() {
    let mut code = CodeBuilder::new(0, 0);
    code.op(Opcode::RETURN)
        .attribute(b"CharacterRangeTable", &[0, 0]);
    let bytes = super::fixture::class(52, b"m", b"()V", code);
    let class = ducktrack_classfile::ClassFile::parse(&bytes).expect("a sound class");
    let method = class.methods().next().expect("a method");
    let mut pool = ducktrack_classfile::PoolAppender::new(class.pool());
    let edited = crate::edit_code(
        &method,
        &insertions(vec![probe(Place::Entry, 1)]),
        &mut pool,
    );
    assert_eq!(edited.map(|edited| edited.dropped_attributes), Ok(1));
}
