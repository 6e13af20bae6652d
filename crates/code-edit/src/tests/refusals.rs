//! Edits that are refused, and what an edit leaves unchanged.

use ducktrack_classfile::{BuiltFrame, ClassFile, CodeBuilder, CodeOffset, Opcode, PoolAppender};

use super::fixture::{class, edited, insertions, listing, probe, try_edit};
use crate::{CodeEdit, Insertion, OffsetMap, Place, SkipReason, edit_code, rewrite_class_methods};

fn method(opcodes: &[Opcode]) -> Vec<u8> {
    let mut code = CodeBuilder::new(2, 1);
    opcodes.iter().for_each(|opcode| {
        code.op(*opcode);
    });
    class(52, b"m", b"()V", code)
}

#[test]
fn an_empty_edit_gives_the_same_bytes() {
    let bytes = method(&[Opcode::NOP, Opcode::RETURN]);
    assert_eq!(try_edit(&bytes, &CodeEdit::default()), Ok(bytes));
}

#[test]
fn inserted_code_may_not_branch_leave_or_store() {
    let bytes = method(&[Opcode::NOP, Opcode::RETURN]);
    let codes: [&[u8]; 6] = [
        &[Opcode::GOTO.0, 0, 0],
        &[Opcode::RETURN.0],
        &[Opcode::ICONST_0.0, Opcode::ISTORE_0.0],
        &[Opcode::IINC.0, 0, 1],
        &[Opcode::BIPUSH.0],
        &[0xFE],
    ];
    for code in codes {
        let insertion = Insertion {
            place: Place::Entry,
            code: code.to_vec(),
            stack: 1,
        };
        assert_eq!(
            try_edit(&bytes, &insertions(vec![insertion])),
            Err(SkipReason::BadCode),
            "{code:?}"
        );
    }
}

#[test]
fn places_must_be_there() {
    let bytes = method(&[Opcode::NOP, Opcode::NOP, Opcode::RETURN]);
    let places = [
        Place::Before(CodeOffset(9)),
        Place::FallThroughInto(CodeOffset(0)),
        Place::OnBranch {
            from: CodeOffset(0),
            to: CodeOffset(1),
        },
    ];
    for place in places {
        let refused = try_edit(&bytes, &insertions(vec![probe(place, 1)])).map(|_| ());
        assert!(
            matches!(refused, Err(SkipReason::BadPlace(_))),
            "{place:?}: {refused:?}"
        );
    }
}

#[test]
fn a_target_without_a_frame_is_not_verified_and_gets_none() {
    let mut code = CodeBuilder::new(1, 1);
    let end = code.label();
    code.local(Opcode::ILOAD, 0)
        .branch(Opcode::IFEQ, end)
        .place(end)
        .op(Opcode::RETURN);
    let edit = insertions(vec![probe(
        Place::OnBranch {
            from: CodeOffset(2),
            to: CodeOffset(5),
        },
        1,
    )]);
    let bytes = |major_version| class(major_version, b"m", b"(I)V", code.clone());
    for version in [50, 52] {
        let edited = try_edit(&bytes(version), &edit).expect("edited");
        let class = ClassFile::parse(&edited).expect("a class");
        let method = class.methods().next().expect("a method");
        let code = method.code().expect("code");
        assert!(code.attributes().find(b"StackMapTable").is_none());
    }
}

#[test]
fn nothing_is_added_after_code_that_falls_off() {
    let mut code = CodeBuilder::new(1, 1);
    let end = code.label();
    code.local(Opcode::ILOAD, 0)
        .branch(Opcode::IFEQ, end)
        .place(end)
        .frame(&BuiltFrame::Same)
        .op(Opcode::NOP);
    let edit = insertions(vec![probe(
        Place::OnBranch {
            from: CodeOffset(2),
            to: CodeOffset(5),
        },
        1,
    )]);
    assert_eq!(
        try_edit(&class(52, b"m", b"(I)V", code), &edit),
        Err(SkipReason::FallsOffEnd)
    );
}

#[test]
fn reserved_frames_and_empty_finalizers_are_left_alone() {
    let edit = insertions(vec![probe(Place::Entry, 1)]);
    let mut code = CodeBuilder::new(0, 1);
    code.op(Opcode::RETURN)
        .attribute(b"StackMapTable", &[0, 1, 246, 0]);
    let refused = try_edit(&class(70, b"m", b"()V", code), &edit);
    assert!(matches!(refused, Err(SkipReason::UnsupportedFrame(_))));
    let mut code = CodeBuilder::new(0, 1);
    code.op(Opcode::RETURN);
    assert_eq!(
        try_edit(&class(52, b"finalize", b"()V", code), &edit),
        Err(SkipReason::EmptyFinalizer)
    );
}

#[test]
fn wide_instructions_are_kept_whole() {
    let mut code = CodeBuilder::new(1, 400);
    code.iinc(300, -200)
        .local(Opcode::ILOAD, 300)
        .op(Opcode::POP)
        .op(Opcode::RETURN);
    let bytes = edited(
        b"()V",
        code,
        &insertions(vec![probe(Place::After(CodeOffset(0)), 1)]),
    );
    assert_eq!(
        listing(&bytes),
        "0 iinc\n6 bipush 1\n8 pop\n9 iload\n13 pop\n14 return\n"
    );
}

#[test]
fn the_offset_map_leads_there_and_back() {
    let bytes = method(&[Opcode::NOP, Opcode::NOP, Opcode::RETURN]);
    let class = ClassFile::parse(&bytes).expect("a sound class");
    let mut pool = PoolAppender::new(class.pool());
    let edit = insertions(vec![probe(Place::Before(CodeOffset(1)), 1)]);
    let edited = edit_code(&class.methods().next().expect("a method"), &edit, &mut pool)
        .expect("the edit applies");
    let map: OffsetMap = edited.offsets;
    assert_eq!(map.label(CodeOffset(1)), Some(CodeOffset(1)));
    assert_eq!(map.insn(CodeOffset(1)), Some(CodeOffset(4)));
    assert_eq!(map.original(CodeOffset(4)), Some(CodeOffset(1)));
    assert_eq!(map.original(CodeOffset(1)), None);
    assert_eq!(map.insn(CodeOffset(9)), None);
}

#[test]
fn only_methods_with_code_are_replaced() {
    let bytes = method(&[Opcode::RETURN]);
    let class = ClassFile::parse(&bytes).expect("a sound class");
    let pool = PoolAppender::new(class.pool());
    assert_eq!(
        rewrite_class_methods(&class, [(1, &[][..])], &pool),
        Err(SkipReason::NoCode)
    );
    let twice = [(0, &[1][..]), (0, &[2][..])];
    assert_eq!(
        rewrite_class_methods(&class, twice, &pool),
        Err(SkipReason::NoCode)
    );
}
