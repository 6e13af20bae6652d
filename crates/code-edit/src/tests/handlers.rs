//! Added handlers: their rows, their order, their frames.

use ducktrack_classfile::{BuiltFrame, CodeBuilder, CodeOffset, FrameType, Opcode};

use super::fixture::{
    WITH_FRAMES, class, edited, exceptions, frames, handler, insertions, listing, probe, try_edit,
    with_code,
};
use crate::{Catch, CodeEdit, HandlerExit, Place, ProtectedPlace, Rank, SkipReason};

/// `0 iload, 2 iload, 4 idiv, 5 ireturn | 6 pop, 7 iconst_0, 8 ireturn`, the handler for 0..6.
fn division() -> CodeBuilder {
    let mut code = CodeBuilder::new(2, 1);
    let start = code.here();
    code.local(Opcode::ILOAD, 0)
        .local(Opcode::ILOAD, 0)
        .op(Opcode::IDIV)
        .op(Opcode::IRETURN);
    let caught = code.here();
    code.frame(&BuiltFrame::SameLocals1(FrameType::Object(
        b"java/lang/ArithmeticException",
    )));
    code.op(Opcode::POP)
        .op(Opcode::ICONST_0)
        .op(Opcode::IRETURN);
    code.exception(
        start,
        caught,
        caught,
        Some(b"java/lang/ArithmeticException"),
    );
    code
}

fn handlers(handlers: Vec<crate::AddedHandler>) -> CodeEdit {
    CodeEdit {
        insertions: Vec::new(),
        handlers,
        replacements: Vec::new(),
    }
}

#[test]
fn a_stub_that_throws_again_knows_nothing_but_the_exception() {
    let edit = handlers(vec![handler(
        &[4],
        Catch::Any,
        HandlerExit::Rethrow,
        Rank::Last,
        1,
    )]);
    let bytes = edited(b"(I)I", division(), &edit);
    assert!(listing(&bytes).ends_with("8 ireturn\n9 bipush 1\n11 pop\n12 athrow\n"));
    assert_eq!(exceptions(&bytes), [(0, 6, 6), (4, 5, 9)]);
    assert_eq!(
        frames(&bytes),
        [
            "6 SameLocals1  | java/lang/ArithmeticException",
            "9 Full  | java/lang/Throwable"
        ]
    );
    assert_eq!(with_code(&bytes, |code| code.max_stack()), 2);
}

#[test]
fn a_method_without_frames_gets_its_first_one() {
    let mut code = CodeBuilder::new(1, 0);
    code.op(Opcode::ACONST_NULL).op(Opcode::ATHROW);
    let edit = handlers(vec![handler(
        &[1],
        Catch::Any,
        HandlerExit::Rethrow,
        Rank::Last,
        1,
    )]);
    let bytes = edited(b"()V", code, &edit);
    assert_eq!(frames(&bytes), ["2 SameLocals1  | java/lang/Throwable"]);
}

#[test]
fn a_stub_can_go_on_to_the_original_handler_in_its_frame() {
    let then = HandlerExit::ContinueAt(CodeOffset(6));
    let edit = CodeEdit {
        insertions: vec![probe(Place::Before(CodeOffset(6)), 7)],
        handlers: vec![handler(
            &[4],
            Catch::SameAs(0),
            then,
            Rank::BeforeOriginal(0),
            1,
        )],
        replacements: Vec::new(),
    };
    let bytes = edited(b"(I)I", division(), &edit);
    let end = "6 bipush 7\n8 pop\n9 pop\n10 iconst_0\n11 ireturn\n12 bipush 1\n14 pop\n15 goto 6\n";
    assert!(listing(&bytes).ends_with(end));
    assert_eq!(exceptions(&bytes), [(4, 5, 12), (0, 6, 6)]);
    let exception = "java/lang/ArithmeticException";
    assert_eq!(
        frames(&bytes),
        [
            format!("6 SameLocals1  | {exception}"),
            format!("12 SameLocals1  | {exception}")
        ]
    );
}

#[test]
fn ranges_join_where_protected_parts_touch() {
    let mut edit = insertions(vec![
        probe(Place::Before(CodeOffset(2)), 1),
        probe(Place::Before(CodeOffset(4)), 2),
    ]);
    let mut joined = handler(&[4, 0, 2], Catch::Any, HandlerExit::Rethrow, Rank::Last, 3);
    joined.protects.push(ProtectedPlace::Insertion(0));
    edit.handlers.push(joined);
    let bytes = edited(b"(I)I", division(), &edit);
    // 0 iload | 2 probe, protected | 5 iload | 7 probe, not protected | 10 idiv
    assert_eq!(exceptions(&bytes), [(0, 12, 12), (0, 7, 15), (10, 11, 15)]);
}

#[test]
fn equal_ranks_keep_their_order() {
    let then = HandlerExit::ContinueAt(CodeOffset(6));
    let edit = handlers(vec![
        handler(&[4], Catch::Any, HandlerExit::Rethrow, Rank::Last, 1),
        handler(&[4], Catch::SameAs(0), then, Rank::BeforeOriginal(0), 2),
        handler(&[4], Catch::SameAs(0), then, Rank::BeforeOriginal(0), 3),
    ]);
    let bytes = edited(b"(I)I", division(), &edit);
    assert_eq!(
        exceptions(&bytes),
        [(4, 5, 13), (4, 5, 19), (0, 6, 6), (4, 5, 9)]
    );
}

#[test]
fn what_the_original_handler_does_not_protect_cannot_go_on_to_it() {
    let refused = |edit: &CodeEdit| {
        try_edit(&class(WITH_FRAMES, b"m", b"(I)I", division()), edit).map(|_| ())
    };
    let then = HandlerExit::ContinueAt(CodeOffset(6));
    let outside = handlers(vec![handler(
        &[7],
        Catch::SameAs(0),
        then,
        Rank::BeforeOriginal(0),
        1,
    )]);
    assert_eq!(refused(&outside), Err(SkipReason::BadHandler));
    let everything = handlers(vec![handler(
        &[4],
        Catch::Any,
        then,
        Rank::BeforeOriginal(0),
        1,
    )]);
    assert_eq!(refused(&everything), Err(SkipReason::BadHandler));
    let no_row = handlers(vec![handler(
        &[4],
        Catch::SameAs(0),
        then,
        Rank::BeforeOriginal(1),
        1,
    )]);
    assert_eq!(refused(&no_row), Err(SkipReason::BadHandler));
}

#[test]
fn the_head_of_a_constructor_is_not_protected() {
    let mut code = CodeBuilder::new(1, 1);
    code.local(Opcode::ALOAD, 0).method(
        Opcode::INVOKESPECIAL,
        b"java/lang/Object",
        b"<init>",
        b"()V",
    );
    code.op(Opcode::ACONST_NULL).op(Opcode::ATHROW);
    let bytes = class(WITH_FRAMES, b"<init>", b"()V", code);
    let edit = |at| {
        handlers(vec![handler(
            &[at],
            Catch::Any,
            HandlerExit::Rethrow,
            Rank::Last,
            1,
        )])
    };
    assert_eq!(
        try_edit(&bytes, &edit(2)).map(|_| ()),
        Err(SkipReason::UnknownThis(CodeOffset(2)))
    );
    assert_eq!(
        try_edit(&bytes, &edit(6)).map(|bytes| exceptions(&bytes)),
        Ok(vec![(6, 7, 7)])
    );
}
