//! Branches that no longer reach after insertion.

use ducktrack_classfile::{BuiltFrame, CodeBuilder, CodeOffset, Opcode};

use super::fixture::{
    class, edited, exceptions, frames, handler, insertions, listing, probe, try_edit, with_code,
};
use crate::{Catch, CodeEdit, HandlerExit, Insertion, Place, Rank, SkipReason};

/// Bytes of `nop` between a branch and its target: it reaches before the insertion, but
/// not after.
const FAR: usize = 32_700;

fn nops(code: &mut CodeBuilder, count: usize) {
    code.bytes(&vec![Opcode::NOP.0; count]);
}

/// `count` bytes of insertion before `at`.
fn grow(at: u32, count: usize) -> Insertion {
    Insertion {
        place: Place::Before(CodeOffset(at)),
        code: vec![Opcode::NOP.0; count],
        stack: 0,
    }
}

/// The lines of the listing that are not `nop`.
fn without_nops(bytes: &[u8]) -> Vec<String> {
    listing(bytes)
        .lines()
        .filter(|line| !line.ends_with(" nop"))
        .map(str::to_owned)
        .collect()
}

#[test]
fn goto_becomes_goto_w() {
    let mut code = CodeBuilder::new(0, 0);
    let (end, start) = (code.label(), code.here());
    code.frame(&BuiltFrame::Same).branch(Opcode::GOTO, end);
    code.frame(&BuiltFrame::Same);
    nops(&mut code, FAR);
    code.branch(Opcode::GOTO, start);
    code.place(end).frame(&BuiltFrame::Same).op(Opcode::RETURN);
    let bytes = edited(b"()V", code, &insertions(vec![grow(10, 100)]));
    assert_eq!(
        without_nops(&bytes),
        ["0 goto_w 32810", "32805 goto_w 0", "32810 return"]
    );
    assert_eq!(
        frames(&bytes),
        ["0 Same  | ", "5 Same  | ", "32810 Same  | "]
    );
}

/// `0 iload, 2 ifeq end, 5 nop..., goto middle, middle: nop..., end: return`.
fn far_condition(protect: bool) -> CodeBuilder {
    let mut code = CodeBuilder::new(1, 1);
    let (end, middle) = (code.label(), code.label());
    let start = code.here();
    code.local(Opcode::ILOAD, 0).branch(Opcode::IFEQ, end);
    nops(&mut code, FAR / 2);
    code.branch(Opcode::GOTO, middle);
    code.place(middle).frame(&BuiltFrame::Same);
    nops(&mut code, FAR / 2);
    code.place(end).frame(&BuiltFrame::Same).op(Opcode::RETURN);
    if protect {
        let caught = code.here();
        code.exception(start, caught, caught, None);
        code.frame(&BuiltFrame::Full(
            &[],
            &[ducktrack_classfile::FrameType::Object(
                b"java/lang/Throwable",
            )],
        ));
        code.op(Opcode::ATHROW);
    }
    code
}

#[test]
fn a_condition_that_cannot_reach_steps_on_an_island() {
    let bytes = edited(
        b"(I)V",
        far_condition(false),
        &insertions(vec![grow(5, 100)]),
    );
    // The goto is at 5 + 100 + 16350; the island follows it, and the goto jumps over it.
    let expected = [
        "0 iload",
        "2 ifeq 16458",
        "16455 goto 16461",
        "16458 goto 32811",
        "32811 return",
    ];
    assert_eq!(without_nops(&bytes), expected);
    assert_eq!(
        frames(&bytes),
        ["16458 Same  | ", "16461 Same  | ", "32811 Same  | "]
    );
}

#[test]
fn a_far_trampoline_becomes_an_island_with_its_code() {
    let edge = probe(
        Place::OnBranch {
            from: CodeOffset(2),
            to: CodeOffset(32_708),
        },
        1,
    );
    let bytes = edited(
        b"(I)V",
        far_condition(false),
        &insertions(vec![grow(20_000, 100), edge]),
    );
    let expected = [
        "0 iload",
        "2 ifeq 16358",
        "16355 goto 16364",
        "16358 bipush 1",
        "16360 pop",
        "16361 goto 32814",
        "32814 return",
    ];
    assert_eq!(without_nops(&bytes), expected);
    assert_eq!(
        frames(&bytes),
        ["16358 Same  | ", "16364 Same  | ", "32814 Same  | "]
    );
}

#[test]
fn no_island_stands_in_a_protected_range() {
    let edit = insertions(vec![grow(5, 100)]);
    let refused = try_edit(&class(52, b"m", b"(I)V", far_condition(true)), &edit).map(|_| ());
    assert_eq!(refused, Err(SkipReason::BranchTooFar(CodeOffset(2))));
}

#[test]
fn a_stub_reaches_a_far_handler() {
    let mut code = CodeBuilder::new(1, 0);
    let start = code.here();
    code.op(Opcode::ACONST_NULL).op(Opcode::ATHROW);
    let caught = code.here();
    code.exception(start, caught, caught, None);
    code.frame(&BuiltFrame::SameLocals1(
        ducktrack_classfile::FrameType::Object(b"java/lang/Throwable"),
    ));
    nops(&mut code, FAR);
    code.op(Opcode::ATHROW);
    let then = HandlerExit::ContinueAt(CodeOffset(2));
    let handlers = vec![handler(
        &[1],
        Catch::SameAs(0),
        then,
        Rank::BeforeOriginal(0),
        1,
    )];
    let bytes = edited(
        b"()V",
        code,
        &CodeEdit {
            insertions: vec![grow(5, 100)],
            handlers,
            replacements: Vec::new(),
        },
    );
    let end = [
        "32802 athrow",
        "32803 bipush 1",
        "32805 pop",
        "32806 goto_w 2",
    ];
    assert!(without_nops(&bytes).ends_with(&end.map(str::to_owned)));
    assert_eq!(exceptions(&bytes), [(1, 2, 32_803), (0, 2, 2)]);
}

#[test]
fn limits_of_the_class_file_and_of_the_compiler() {
    let method = |length: usize| {
        let mut code = CodeBuilder::new(0, 0);
        nops(&mut code, length - 1);
        code.op(Opcode::RETURN);
        class(52, b"m", b"()V", code)
    };
    let try_grow = |length, growth| {
        let edited = try_edit(&method(length), &insertions(vec![grow(0, growth)]));
        edited.map(|bytes| with_code(&bytes, |code| code.end().0))
    };
    assert_eq!(try_grow(7_900, 100), Ok(8_000));
    assert_eq!(
        try_grow(7_900, 101),
        Err(SkipReason::TooLargeToCompile(8_001))
    );
    assert_eq!(try_grow(8_001, 101), Ok(8_102));
    assert_eq!(try_grow(65_000, 535), Ok(65_535));
    assert_eq!(try_grow(65_000, 536), Err(SkipReason::TooLarge(65_536)));
}
