//! The methods, their edits and their truth.

use anyhow::Result;
use ducktrack_classfile::{BuiltFrame, CodeBuilder, FrameType, Opcode};
use ducktrack_code_edit::{
    AddedHandler, Catch, CodeEdit, HandlerExit, Insertion, Place, ProtectedPlace, Rank,
};

use crate::fixture::{Draft, Fixture, at};

/// Class versions: with frames, with optional frames, before frames.
const VERSIONS: [u16; 3] = [52, 50, 48];

/// All fixtures.
pub(crate) fn all() -> Result<Vec<Fixture>> {
    let mut all = Vec::new();
    for version in VERSIONS {
        all.push(loop_to_start(version)?);
        all.push(far_condition(version, true)?);
        all.push(far_condition(version, false)?);
        all.push(far_switch(version)?);
        all.push(uninitialized(version)?);
        all.push(handlers(version)?);
        all.push(constructor(version)?);
    }
    all.push(without_optional_frames()?);
    all.push(subroutine()?);
    Ok(all)
}

fn draft(name: &str, major_version: u16, method: CodeBuilder) -> Draft {
    Draft {
        name: format!("{name}{major_version}"),
        major_version,
        method,
        constructor: None,
    }
}

fn insertions(insertions: Vec<Insertion>) -> CodeEdit {
    CodeEdit {
        insertions,
        handlers: Vec::new(),
        replacements: Vec::new(),
    }
}

/// `do n--; while (n > 0); return n`, where the loop starts at offset 0.
fn loop_to_start(version: u16) -> Result<Fixture> {
    let mut code = CodeBuilder::new(1, 1);
    let start = code.here();
    code.frame(&BuiltFrame::Same)
        .iinc(0, -1)
        .local(Opcode::ILOAD, 0)
        .branch(Opcode::IFGT, start);
    code.local(Opcode::ILOAD, 0).op(Opcode::IRETURN);
    let places = [
        Place::Entry,
        Place::Before(at(0)),
        Place::OnBranch {
            from: at(5),
            to: at(0),
        },
        Place::FallThroughInto(at(8)),
    ];
    let cases = [(1, "0 c0=1 c1=1 c2=0 c3=1"), (5, "0 c0=1 c1=5 c2=4 c3=1")];
    draft("Loop", version, code).edit(4, &cases, |counters| Ok(insertions(counters.at(&places)?)))
}

/// `if (n == 0) return 1; return 2`, with the two returns 32,000 bytes away.
fn far_condition(version: u16, counted: bool) -> Result<Fixture> {
    let mut code = CodeBuilder::new(1, 1);
    let (zero, middle) = (code.label(), code.label());
    code.local(Opcode::ILOAD, 0)
        .branch(Opcode::IFEQ, zero)
        .bytes(&[0; 16_000])
        .branch(Opcode::GOTO, middle);
    let island = code.position();
    code.place(middle)
        .frame(&BuiltFrame::Same)
        .bytes(&[0; 16_000])
        .op(Opcode::ICONST_2)
        .op(Opcode::IRETURN);
    let target = code.position();
    code.place(zero)
        .frame(&BuiltFrame::Same)
        .op(Opcode::ICONST_1)
        .op(Opcode::IRETURN);
    let name = if counted { "FarCounted" } else { "Far" };
    let cases = [(0, "1 c0=1 c1=0"), (7, "2 c0=0 c1=1")];
    draft(name, version, code).edit(2, &cases, |counters| {
        let edge = Place::OnBranch {
            from: at(2),
            to: at(target),
        };
        let taken = if counted {
            edge
        } else {
            Place::Before(at(target))
        };
        let mut counted = counters.at(&[taken, Place::Before(at(island))])?;
        counted.push(Insertion {
            place: Place::Before(at(island)),
            code: vec![0; 2_000],
            stack: 0,
        });
        Ok(insertions(counted))
    })
}

/// A switch whose cases are far before and far after it.
fn far_switch(version: u16) -> Result<Fixture> {
    let mut code = CodeBuilder::new(1, 1);
    let (switch, back, ahead) = (code.label(), code.label(), code.label());
    code.branch(Opcode::GOTO, switch);
    let back_at = code.position();
    code.place(back)
        .frame(&BuiltFrame::Same)
        .bytes(&[0; 32_000])
        .op(Opcode::ICONST_1)
        .op(Opcode::IRETURN);
    code.place(switch)
        .frame(&BuiltFrame::Same)
        .local(Opcode::ILOAD, 0);
    let from = at(code.position());
    code.table_switch(3, ahead, &[back, ahead]);
    let ahead_at = code.position();
    code.place(ahead)
        .frame(&BuiltFrame::Same)
        .op(Opcode::ICONST_2)
        .op(Opcode::IRETURN);
    let places = [
        Place::OnBranch {
            from: at(0),
            to: at(from.0 - 2),
        },
        Place::OnBranch {
            from,
            to: at(back_at),
        },
        Place::OnBranch {
            from,
            to: at(ahead_at),
        },
        Place::Before(at(ahead_at)),
    ];
    let cases = [
        (3, "1 c0=1 c1=1 c2=0 c3=0"),
        (4, "2 c0=1 c1=0 c2=1 c3=1"),
        (9, "2 c0=1 c1=0 c2=1 c3=1"),
    ];
    draft("Switch", version, code).edit(4, &cases, |counters| {
        let mut counted = counters.at(&places)?;
        counted.push(Insertion {
            place: Place::Before(at(back_at)),
            code: vec![0; 2_001],
            stack: 0,
        });
        Ok(insertions(counted))
    })
}

/// `return new Integer(n > 0 ? 1 : 2).intValue()`: branches while the object is not initialized.
fn uninitialized(version: u16) -> Result<Fixture> {
    let mut code = CodeBuilder::new(5, 1);
    let (positive, join) = (code.label(), code.label());
    let new = code.here();
    let object = FrameType::Uninitialized(new);
    code.class(Opcode::NEW, b"java/lang/Integer")
        .op(Opcode::DUP)
        .local(Opcode::ILOAD, 0);
    let from = at(code.position());
    code.branch(Opcode::IFGT, positive)
        .op(Opcode::ICONST_2)
        .branch(Opcode::GOTO, join);
    let to = at(code.position());
    code.place(positive)
        .frame(&BuiltFrame::Full(&[FrameType::Integer], &[object, object]))
        .op(Opcode::ICONST_1);
    code.place(join).frame(&BuiltFrame::Full(
        &[FrameType::Integer],
        &[object, object, FrameType::Integer],
    ));
    let call = at(code.position());
    code.method(
        Opcode::INVOKESPECIAL,
        b"java/lang/Integer",
        b"<init>",
        b"(I)V",
    );
    code.method(
        Opcode::INVOKEVIRTUAL,
        b"java/lang/Integer",
        b"intValue",
        b"()I",
    )
    .op(Opcode::IRETURN);
    let places = [
        Place::Before(at(0)),
        Place::OnBranch { from, to },
        Place::Before(call),
        Place::After(call),
    ];
    let cases = [(1, "1 c0=1 c1=1 c2=1 c3=1"), (0, "2 c0=1 c1=0 c2=1 c3=1")];
    draft("Uninitialized", version, code)
        .edit(4, &cases, |counters| Ok(insertions(counters.at(&places)?)))
}

/// `try { return 10 / n; } catch (ArithmeticException e) { return new int[n - 1].length; }`
fn handlers(version: u16) -> Result<Fixture> {
    let mut code = CodeBuilder::new(2, 1);
    let start = code.here();
    code.push_int(10).local(Opcode::ILOAD, 0);
    let divide = at(code.position());
    code.op(Opcode::IDIV).op(Opcode::IRETURN);
    let caught = code.here();
    let handler = at(code.position());
    let exception = FrameType::Object(b"java/lang/ArithmeticException");
    code.frame(&BuiltFrame::SameLocals1(exception))
        .op(Opcode::POP)
        .local(Opcode::ILOAD, 0);
    code.op(Opcode::ICONST_1).op(Opcode::ISUB);
    let array = at(code.position());
    code.new_array(10)
        .op(Opcode::ARRAYLENGTH)
        .op(Opcode::IRETURN);
    code.exception(
        start,
        caught,
        caught,
        Some(b"java/lang/ArithmeticException"),
    );
    // c0: caught division, c1: whatever leaves the method, c2: division done, c3: handler reached
    let cases = [
        (5, "2 c0=0 c1=0 c2=1 c3=0"),
        (0, "NegativeArraySizeException c0=1 c1=1 c2=0 c3=1"),
    ];
    draft("Handlers", version, code).edit(4, &cases, |counters| {
        let added = |protects: Vec<ProtectedPlace>, catch, code, then, rank| AddedHandler {
            protects,
            catch,
            code,
            stack: 2,
            then,
            rank,
        };
        let division = vec![ProtectedPlace::Instruction(divide)];
        let everything = vec![
            ProtectedPlace::Instruction(divide),
            ProtectedPlace::Instruction(array),
        ];
        let goes_on = HandlerExit::ContinueAt(handler);
        let handlers = vec![
            added(
                everything,
                Catch::Any,
                counters.code(1)?,
                HandlerExit::Rethrow,
                Rank::Last,
            ),
            added(
                division,
                Catch::SameAs(0),
                counters.code(0)?,
                goes_on,
                Rank::BeforeOriginal(0),
            ),
        ];
        let counted = |place, code| Insertion {
            place,
            code,
            stack: 2,
        };
        let insertions = vec![
            counted(Place::After(divide), counters.code(2)?),
            counted(Place::Before(handler), counters.code(3)?),
        ];
        Ok(CodeEdit {
            insertions,
            handlers,
            replacements: Vec::new(),
        })
    })
}

/// `T(int n) { if (n > 0) n = 1; super(); new int[n]; }`: a branch while `this` is not initialized.
fn constructor(version: u16) -> Result<Fixture> {
    let name = format!("Constructor{version}");
    let mut code = CodeBuilder::new(1, 2);
    let call = code.label();
    code.local(Opcode::ILOAD, 1);
    let from = at(code.position());
    code.branch(Opcode::IFLE, call)
        .op(Opcode::ICONST_1)
        .local(Opcode::ISTORE, 1);
    let to = at(code.position());
    code.place(call).frame(&BuiltFrame::Full(
        &[FrameType::UninitializedThis, FrameType::Integer],
        &[],
    ));
    code.local(Opcode::ALOAD, 0).method(
        Opcode::INVOKESPECIAL,
        b"java/lang/Object",
        b"<init>",
        b"()V",
    );
    code.local(Opcode::ILOAD, 1);
    let array = at(code.position());
    code.new_array(10).op(Opcode::POP).op(Opcode::RETURN);
    let mut method = CodeBuilder::new(3, 1);
    method
        .class(Opcode::NEW, name.as_bytes())
        .local(Opcode::ILOAD, 0);
    method.bytes(&[Opcode::SWAP.0, Opcode::DUP_X1.0, Opcode::SWAP.0]);
    method
        .method(Opcode::INVOKESPECIAL, name.as_bytes(), b"<init>", b"(I)V")
        .op(Opcode::POP);
    method.local(Opcode::ILOAD, 0).op(Opcode::IRETURN);
    let cases = [
        (3, "3 c0=1 c1=0 c2=1 c3=0"),
        (0, "0 c0=1 c1=1 c2=1 c3=0"),
        (-1, "NegativeArraySizeException c0=1 c1=1 c2=1 c3=1"),
    ];
    let draft = Draft {
        name,
        major_version: version,
        method,
        constructor: Some(code),
    };
    draft.edit(4, &cases, |counters| {
        let insertions = counters.at(&[
            Place::Entry,
            Place::OnBranch { from, to },
            Place::Before(array),
        ])?;
        let leaving = AddedHandler {
            protects: vec![
                ProtectedPlace::Instruction(array),
                ProtectedPlace::Insertion(2),
            ],
            catch: Catch::Any,
            code: counters.code(3)?,
            stack: 2,
            then: HandlerExit::Rethrow,
            rank: Rank::Last,
        };
        Ok(CodeEdit {
            insertions,
            handlers: vec![leaving],
            replacements: Vec::new(),
        })
    })
}

/// A class of version 50 without the frames that it should have: the JVM infers types instead.
fn without_optional_frames() -> Result<Fixture> {
    let mut code = CodeBuilder::new(1, 1);
    let zero = code.label();
    code.local(Opcode::ILOAD, 0)
        .branch(Opcode::IFEQ, zero)
        .op(Opcode::ICONST_2)
        .op(Opcode::IRETURN);
    code.place(zero).op(Opcode::ICONST_1).op(Opcode::IRETURN);
    let places = [
        Place::OnBranch {
            from: at(2),
            to: at(7),
        },
        Place::Before(at(7)),
    ];
    let cases = [(0, "1 c0=1 c1=1"), (4, "2 c0=0 c1=0")];
    draft("NoFrames", 50, code).edit(2, &cases, |counters| Ok(insertions(counters.at(&places)?)))
}

/// A subroutine that adds 10 to `n` unless it is 0, called twice.
fn subroutine() -> Result<Fixture> {
    let mut code = CodeBuilder::new(1, 2);
    let (subroutine, end) = (code.label(), code.label());
    code.branch(Opcode::JSR, subroutine);
    let second = at(code.position());
    code.branch(Opcode::JSR_W, subroutine);
    code.local(Opcode::ILOAD, 0).op(Opcode::IRETURN);
    let start = at(code.position());
    code.place(subroutine)
        .local(Opcode::ASTORE, 1)
        .local(Opcode::ILOAD, 0);
    let from = at(code.position());
    code.branch(Opcode::IFEQ, end).iinc(0, 10);
    let to = at(code.position());
    code.place(end).local(Opcode::RET, 1);
    let places = [
        Place::After(at(0)),
        Place::OnBranch {
            from: second,
            to: start,
        },
        Place::Before(start),
        Place::OnBranch { from, to },
        Place::FallThroughInto(to),
    ];
    let cases = [
        (1, "21 c0=1 c1=1 c2=2 c3=0 c4=2"),
        (0, "0 c0=1 c1=1 c2=2 c3=2 c4=0"),
    ];
    draft("Subroutine", 48, code).edit(5, &cases, |counters| Ok(insertions(counters.at(&places)?)))
}
