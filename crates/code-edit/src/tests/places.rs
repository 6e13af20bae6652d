//! The places of insertions, and where jumps land relative to them.

use ducktrack_classfile::{BuiltFrame, CodeBuilder, CodeOffset, FrameType, Opcode};

use super::fixture::{WITHOUT_FRAMES, class, edited, frames, insertions, listing, probe, try_edit};
use crate::Place;

const fn at(offset: u32) -> CodeOffset {
    CodeOffset(offset)
}

/// `while (--n != 0); return`, with a branch back to offset 0.
fn loop_to_start() -> CodeBuilder {
    let mut code = CodeBuilder::new(1, 1);
    let start = code.here();
    code.frame(&BuiltFrame::Same)
        .iinc(0, -1)
        .local(Opcode::ILOAD, 0);
    code.branch(Opcode::IFNE, start).op(Opcode::RETURN);
    code
}

#[test]
fn a_branch_to_the_start_lands_after_the_entry() {
    let edit = insertions(vec![probe(Place::Before(at(0)), 2), probe(Place::Entry, 1)]);
    let bytes = edited(b"(I)V", loop_to_start(), &edit);
    assert_eq!(
        listing(&bytes),
        "0 bipush 1\n2 pop\n3 bipush 2\n5 pop\n6 iinc\n9 iload\n11 ifne 3\n14 return\n"
    );
    assert_eq!(frames(&bytes), ["3 Same  | "]);
}

#[test]
fn a_frame_at_the_start_stays_there_without_an_entry() {
    let edit = insertions(vec![probe(Place::After(at(3)), 1)]);
    let bytes = edited(b"(I)V", loop_to_start(), &edit);
    assert_eq!(
        listing(&bytes),
        "0 iinc\n3 iload\n5 bipush 1\n7 pop\n8 ifne 0\n11 return\n"
    );
    assert_eq!(frames(&bytes), ["0 Same  | "]);
}

/// `if (n == 0) nop; return` as `0 iload, 2 ifne 6, 5 nop, 6 return`.
fn diamond() -> CodeBuilder {
    let mut code = CodeBuilder::new(1, 1);
    let end = code.label();
    code.local(Opcode::ILOAD, 0)
        .branch(Opcode::IFNE, end)
        .op(Opcode::NOP);
    code.place(end).frame(&BuiltFrame::Same).op(Opcode::RETURN);
    code
}

#[test]
fn falling_in_is_distinguished_from_jumping_in() {
    let edit = insertions(vec![
        probe(Place::FallThroughInto(at(6)), 3),
        probe(Place::After(at(5)), 2),
        probe(Place::Before(at(6)), 4),
        probe(Place::After(at(2)), 1),
    ]);
    let bytes = edited(b"(I)V", diamond(), &edit);
    let expected = "0 iload\n2 ifne 15\n5 bipush 1\n7 pop\n8 nop\n9 bipush 2\n11 pop\n12 bipush 3\n14 pop\n\
                    15 bipush 4\n17 pop\n18 return\n";
    assert_eq!(listing(&bytes), expected);
    assert_eq!(frames(&bytes), ["15 Same  | "]);
}

#[test]
fn a_taken_branch_goes_over_a_trampoline() {
    let edit = insertions(vec![probe(
        Place::OnBranch {
            from: at(2),
            to: at(6),
        },
        1,
    )]);
    let bytes = edited(b"(I)V", diamond(), &edit);
    assert_eq!(
        listing(&bytes),
        "0 iload\n2 ifne 7\n5 nop\n6 return\n7 bipush 1\n9 pop\n10 goto 6\n"
    );
    assert_eq!(frames(&bytes), ["6 Same  | ", "7 Same  | "]);
}

#[test]
fn a_class_without_frames_gets_none() {
    let edit = insertions(vec![probe(
        Place::OnBranch {
            from: at(2),
            to: at(6),
        },
        1,
    )]);
    let mut code = CodeBuilder::new(1, 1);
    let end = code.label();
    code.local(Opcode::ILOAD, 0)
        .branch(Opcode::IFNE, end)
        .op(Opcode::NOP)
        .place(end)
        .op(Opcode::RETURN);
    let bytes =
        try_edit(&class(WITHOUT_FRAMES, b"m", b"(I)V", code), &edit).expect("the edit applies");
    assert_eq!(
        listing(&bytes),
        "0 iload\n2 ifne 7\n5 nop\n6 return\n7 bipush 1\n9 pop\n10 goto 6\n"
    );
    assert!(frames(&bytes).is_empty());
}

#[test]
fn a_goto_is_always_taken_so_its_edge_is_in_line() {
    let mut code = CodeBuilder::new(1, 1);
    let end = code.label();
    code.branch(Opcode::GOTO, end)
        .place(end)
        .frame(&BuiltFrame::Same)
        .op(Opcode::RETURN);
    let edit = insertions(vec![
        probe(
            Place::OnBranch {
                from: at(0),
                to: at(3),
            },
            2,
        ),
        probe(Place::Before(at(0)), 1),
        // Never executed: `goto` does not fall through.
        probe(Place::After(at(0)), 9),
        probe(Place::FallThroughInto(at(3)), 9),
    ]);
    let bytes = edited(b"(I)V", code, &edit);
    assert_eq!(
        listing(&bytes),
        "0 bipush 1\n2 pop\n3 bipush 2\n5 pop\n6 goto 9\n9 return\n"
    );
}

#[test]
fn trampolines_copy_frames_with_long_and_double() {
    let mut code = CodeBuilder::new(2, 7);
    let end = code.label();
    code.op(Opcode::DCONST_0).local(Opcode::DSTORE, 3);
    code.local(Opcode::ILOAD, 2)
        .branch(Opcode::IFNE, end)
        .op(Opcode::NOP);
    code.place(end)
        .frame(&BuiltFrame::Append(&[FrameType::Double]))
        .op(Opcode::NOP);
    let last = code.here();
    code.frame(&BuiltFrame::Chop(1)).op(Opcode::RETURN);
    let _ = last;
    let edit = insertions(vec![probe(
        Place::OnBranch {
            from: at(5),
            to: at(9),
        },
        1,
    )]);
    let bytes = edited(b"(JI)V", code, &edit);
    // The last frame has no double; the trampoline's copy adds it again.
    assert_eq!(
        frames(&bytes),
        [
            "9 Append(1) Double | ",
            "10 Chop(1)  | ",
            "11 Append(1) Double | "
        ]
    );
}

#[test]
fn a_copied_frame_names_the_classes_of_the_descriptor() {
    let mut code = CodeBuilder::new(1, 2);
    let end = code.label();
    code.local(Opcode::ILOAD, 1)
        .branch(Opcode::IFNE, end)
        .op(Opcode::NOP);
    code.place(end).frame(&BuiltFrame::Same).op(Opcode::NOP);
    code.frame(&BuiltFrame::Full(&[], &[])).op(Opcode::RETURN);
    let edit = insertions(vec![probe(
        Place::OnBranch {
            from: at(2),
            to: at(6),
        },
        1,
    )]);
    let bytes = edited(b"([Ljava/util/List;I)V", code, &edit);
    assert_eq!(
        frames(&bytes),
        [
            "6 Same  | ",
            "7 Full  | ",
            "8 Append(2) [Ljava/util/List; Integer | "
        ]
    );
}

#[test]
fn uninitialized_names_the_new_instruction_itself() {
    let mut code = CodeBuilder::new(3, 1);
    let (one, join) = (code.label(), code.label());
    let new = code.here();
    code.class(Opcode::NEW, b"A")
        .op(Opcode::DUP)
        .local(Opcode::ILOAD, 0)
        .branch(Opcode::IFNE, one);
    let pair = [FrameType::Uninitialized(new), FrameType::Uninitialized(new)];
    let triple = [pair[0], pair[1], FrameType::Integer];
    code.op(Opcode::ICONST_0).branch(Opcode::GOTO, join);
    code.place(one)
        .frame(&BuiltFrame::Full(&[FrameType::Integer], &pair))
        .op(Opcode::ICONST_1);
    code.place(join)
        .frame(&BuiltFrame::Full(&[FrameType::Integer], &triple));
    code.method(Opcode::INVOKESPECIAL, b"A", b"<init>", b"(I)V")
        .op(Opcode::POP)
        .op(Opcode::RETURN);
    let edit = insertions(vec![
        probe(Place::Before(at(0)), 1),
        probe(
            Place::OnBranch {
                from: at(6),
                to: at(13),
            },
            2,
        ),
        probe(Place::Before(at(14)), 3),
    ]);
    let bytes = edited(b"(I)V", code, &edit);
    assert_eq!(
        frames(&bytes),
        [
            "16 Full Integer | Uninitialized(@3) Uninitialized(@3)",
            "17 Full Integer | Uninitialized(@3) Uninitialized(@3) Integer",
            "25 Full Integer | Uninitialized(@3) Uninitialized(@3)",
        ]
    );
}

#[test]
fn switches_are_padded_anew_and_keep_their_cases() {
    let mut code = CodeBuilder::new(1, 1);
    let (one, two, other) = (code.label(), code.label(), code.label());
    code.local(Opcode::ILOAD, 0)
        .table_switch(-1, other, &[one, two, other]);
    code.place(one)
        .frame(&BuiltFrame::Same)
        .local(Opcode::ILOAD, 0);
    code.lookup_switch(other, &[(-7, two), (i32::MAX, one)]);
    code.place(two).frame(&BuiltFrame::Same).op(Opcode::NOP);
    code.place(other)
        .frame(&BuiltFrame::Same)
        .op(Opcode::RETURN);
    let switch = at(2);
    let edit = insertions(vec![
        probe(
            Place::OnBranch {
                from: switch,
                to: at(28),
            },
            1,
        ),
        probe(Place::Before(at(28)), 2),
    ]);
    let bytes = edited(b"(I)V", code, &edit);
    let expected = "0 iload\n2 tableswitch 61 62 60 61\n28 bipush 2\n30 pop\n31 iload\n33 lookupswitch 61 60 28\n\
                    60 nop\n61 return\n62 bipush 1\n64 pop\n65 goto 28\n";
    assert_eq!(listing(&bytes), expected);
}
