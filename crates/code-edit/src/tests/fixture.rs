//! One static method in a class, edited and listed.

use std::fmt::Write as _;

use ducktrack_classfile::{
    ClassBuilder, ClassFile, Code, CodeBuilder, CodeOffset, Opcode, PoolAppender, StackMapTable,
    access,
};

use crate::{
    AddedHandler, Catch, CodeEdit, HandlerExit, Insertion, Place, ProtectedPlace, Rank, SkipReason,
    edit_code, rewrite_class_methods,
};

/// Java 8: frames are required.
pub(super) const WITH_FRAMES: u16 = 52;

/// Java 1.4: no frames.
pub(super) const WITHOUT_FRAMES: u16 = 48;

/// A class with `code` as its only method, static unless it is a constructor.
pub(super) fn class(
    major_version: u16,
    name: &[u8],
    descriptor: &[u8],
    code: CodeBuilder,
) -> Vec<u8> {
    let mut class = ClassBuilder::new(
        major_version,
        access::PUBLIC | access::SUPER,
        b"F",
        b"java/lang/Object",
    );
    let flags = if name == b"<init>" { 0 } else { access::STATIC };
    class
        .method(flags, name, descriptor)
        .code(code)
        .expect("code is complete");
    class.finish().expect("the pool is small")
}

/// The class with its method edited, or the reason why not.
pub(super) fn try_edit(bytes: &[u8], edit: &CodeEdit) -> Result<Vec<u8>, SkipReason> {
    let class = ClassFile::parse(bytes)?;
    let method = class.methods().next().expect("a method");
    let mut pool = PoolAppender::new(class.pool());
    let edited = edit_code(&method, edit, &mut pool)?;
    rewrite_class_methods(&class, [(0, edited.attribute.as_slice())], &pool)
}

/// The edited static method `m` of `code`.
pub(super) fn edited(descriptor: &[u8], code: CodeBuilder, edit: &CodeEdit) -> Vec<u8> {
    try_edit(&class(WITH_FRAMES, b"m", descriptor, code), edit).expect("the edit applies")
}

/// An insertion that pushes `number` and drops it: three bytes.
pub(super) fn probe(place: Place, number: u8) -> Insertion {
    Insertion {
        place,
        code: vec![Opcode::BIPUSH.0, number, Opcode::POP.0],
        stack: 1,
    }
}

/// Insertions only.
pub(super) fn insertions(insertions: Vec<Insertion>) -> CodeEdit {
    CodeEdit {
        insertions,
        handlers: Vec::new(),
        replacements: Vec::new(),
    }
}

/// A handler over these instructions.
pub(super) fn handler(
    protects: &[u32],
    catch: Catch,
    then: HandlerExit,
    rank: Rank,
    number: u8,
) -> AddedHandler {
    let protects = protects
        .iter()
        .map(|at| ProtectedPlace::Instruction(CodeOffset(*at)))
        .collect();
    AddedHandler {
        protects,
        catch,
        code: vec![Opcode::BIPUSH.0, number, Opcode::POP.0],
        stack: 1,
        then,
        rank,
    }
}

/// Runs `look` on the code of the method.
pub(super) fn with_code<R>(bytes: &[u8], look: impl FnOnce(&Code<'_>) -> R) -> R {
    let class = ClassFile::parse(bytes).expect("a sound class");
    let code = class
        .methods()
        .next()
        .and_then(|method| method.code())
        .expect("code");
    look(&code)
}

/// The instructions, one per line: offset, mnemonic, number or targets.
pub(super) fn listing(bytes: &[u8]) -> String {
    with_code(bytes, |code| {
        let mut listing = String::new();
        for instruction in code
            .instructions()
            .map(|instruction| instruction.expect("an instruction"))
        {
            write!(listing, "{} {}", instruction.offset, instruction.opcode).expect("text grows");
            if instruction.opcode == Opcode::BIPUSH {
                write!(listing, " {}", instruction.bytes()[1]).expect("text grows");
            }
            for target in instruction.targets() {
                write!(listing, " {target}").expect("text grows");
            }
            listing.push('\n');
        }
        listing
    })
}

/// The frames, one per line: offset, kind, locals, stack.
pub(super) fn frames(bytes: &[u8]) -> Vec<String> {
    with_code(bytes, |code| {
        let Some(attribute) = code.attributes().find(b"StackMapTable") else {
            return Vec::new();
        };
        let table = StackMapTable::parse(&attribute).expect("sound frames");
        let line = |frame: &ducktrack_classfile::Frame<'_>| {
            let locals: Vec<_> = frame
                .locals
                .iter()
                .map(|local| shown(code, local))
                .collect();
            let stack: Vec<_> = frame.stack.iter().map(|value| shown(code, value)).collect();
            format!(
                "{} {:?} {} | {}",
                frame.offset,
                frame.kind,
                locals.join(" "),
                stack.join(" ")
            )
        };
        table.frames().iter().map(line).collect()
    })
}

fn shown(code: &Code<'_>, known: ducktrack_classfile::VerificationType<'_>) -> String {
    use ducktrack_classfile::VerificationType;
    match known {
        VerificationType::Object(class) => {
            String::from_utf8_lossy(code.pool().class_name(class).expect("a class")).into_owned()
        }
        other => format!("{other:?}"),
    }
}

/// The exception table: start, end, handler.
pub(super) fn exceptions(bytes: &[u8]) -> Vec<(u32, u32, u32)> {
    with_code(bytes, |code| {
        code.exception_table()
            .iter()
            .map(|row| (row.start.0, row.end.0, row.handler.0))
            .collect()
    })
}
