use super::{FrameKind, FrameState, StackMapTable, VerificationType};
use crate::{
    BuiltFrame, ClassBuilder, ClassFile, CodeBuilder, CodeOffset, Error, FrameType, Opcode, Rule,
    access,
};

/// A static method `(J[I)V` with a frame of every kind.
fn every_kind() -> Result<Vec<u8>, Error> {
    let mut code = CodeBuilder::new(2, 8);
    code.frame(&BuiltFrame::Same).op(Opcode::NOP);
    code.frame(&BuiltFrame::Append(&[
        FrameType::Integer,
        FrameType::Double,
    ]))
    .op(Opcode::NOP);
    for _ in 0..80 {
        code.op(Opcode::NOP);
    }
    code.frame(&BuiltFrame::Same).op(Opcode::NOP);
    code.frame(&BuiltFrame::Chop(1)).op(Opcode::NOP);
    code.frame(&BuiltFrame::SameLocals1(FrameType::Object(
        b"java/lang/Throwable",
    )))
    .op(Opcode::POP);
    let new = code.here();
    code.class(Opcode::NEW, b"A");
    let (locals, stack) = (
        [FrameType::Top, FrameType::Null],
        [FrameType::Uninitialized(new), FrameType::Long],
    );
    code.frame(&BuiltFrame::Full(&locals, &stack))
        .op(Opcode::RETURN);
    let mut class = ClassBuilder::new(52, access::PUBLIC, b"Frames", b"java/lang/Object");
    class.method(access::STATIC, b"m", b"(J[I)V").code(code)?;
    class.finish()
}

#[test]
fn every_kind_is_decoded_to_its_state() -> Result<(), Error> {
    let bytes = every_kind()?;
    let class = ClassFile::parse(&bytes)?;
    let method = class.methods().next().expect("a method");
    let attribute = method
        .code()
        .and_then(|code| code.attributes().find(b"StackMapTable"))
        .expect("frames");
    let table = StackMapTable::parse(&attribute)?;

    let offsets: Vec<u32> = table.frames().iter().map(|frame| frame.offset.0).collect();
    assert_eq!(offsets, [0, 1, 82, 83, 84, 88]);
    let kinds: Vec<FrameKind> = table.frames().iter().map(|frame| frame.kind).collect();
    use FrameKind::{Append, Chop, Full, Same, SameLocals1};
    assert_eq!(kinds, [Same, Append(2), Same, Chop(1), SameLocals1, Full]);
    assert_eq!(table.find(CodeOffset(83)), Some(3));
    assert_eq!(table.find(CodeOffset(2)), None);

    use VerificationType::{Double, Integer, Long, Named, Null, Top, Uninitialized};
    let mut state = FrameState::initial(&method)?;
    assert_eq!(state.locals, [Long, Named(b"[I")]);
    let mut states = Vec::new();
    for frame in table.frames() {
        state.advance(frame)?;
        states.push(state.clone());
    }
    assert_eq!(states[1].locals, [Long, Named(b"[I"), Integer, Double]);
    assert_eq!(states[3].locals, [Long, Named(b"[I"), Integer]);
    assert_eq!((states[4].locals.len(), states[4].stack.len()), (3, 1));
    assert_eq!(states[5].locals, [Top, Null]);
    assert_eq!(states[5].stack, [Uninitialized(CodeOffset(85)), Long]);
    assert_eq!(states[5].stack_slots(), 3);
    Ok(())
}

#[test]
fn reserved_types_are_refused() -> Result<(), Error> {
    let mut code = CodeBuilder::new(0, 0);
    code.op(Opcode::RETURN)
        .attribute(b"StackMapTable", &[0, 1, 246]);
    let mut class = ClassBuilder::new(52, access::PUBLIC, b"Frames", b"java/lang/Object");
    class.method(access::STATIC, b"m", b"()V").code(code)?;
    let bytes = class.finish()?;
    let class = ClassFile::parse(&bytes)?;
    let code = class
        .methods()
        .next()
        .and_then(|method| method.code())
        .expect("code");
    let attribute = code.attributes().find(b"StackMapTable").expect("frames");
    let refused = StackMapTable::parse(&attribute)
        .map(|_| ())
        .map_err(|error| error.rule);
    assert_eq!(refused, Err(Rule::ReservedFrameType(246)));
    Ok(())
}
