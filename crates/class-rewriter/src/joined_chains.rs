//! Chains of `StringBuilder` that C2 joins: `new StringBuilder().append("a").append(i).toString()`,
//! the concatenation of javac before Java 9, of the JDK itself and of other compilers.
//!
//! C2 replaces such a chain by code that makes one array and one string, if nothing
//! is stored between the constructor and `toString`. So no probe stands there:
//!
//! ```text
//!   sipush 300; invokestatic DuckTrack.count(I)V                        the builder and its first array
//!   sipush 301; invokestatic DuckTrackCallers.noteJoined(I)J; lstore 5
//!   new StringBuilder; dup; invokespecial <init>
//!   ldc "a"; invokevirtual append(String); iload_1; invokevirtual append(I)
//!   invokevirtual toString
//!   dup; sipush 302; invokestatic DuckTrack.countJoined(String;I)V      the string and its array
//!   lload 5; invokestatic DuckTrackCallers.restoreNote(J)V
//! ```
//!
//! These four objects are counted here whether or not C2 has joined the chain: the bodies of the constructor and of `toString`
//! find the note of a joined chain, and have their objects filed under [`COUNTED_BY_CALLER`], which no reader takes. Larger
//! arrays of the builder are made where the chain runs as it is written, and only there: `append` counts them as always.

use ducktrack_classfile::{Code, CodeOffset, Error, Instruction, Opcode, Operand};

use crate::allocation_site::Allocation;
use crate::pool_rules::PoolRules;

/// The class of the chains.
pub(crate) const BUILDER: &[u8] = b"java/lang/StringBuilder";
pub(crate) const TO_STRING: (&[u8], &[u8]) = (b"toString", b"()Ljava/lang/String;");
/// The descriptors of the constructors that chains begin with.
pub(crate) const PLAIN: &[u8] = b"()V";
pub(crate) const OF_STRING: &[u8] = b"(Ljava/lang/String;)V";
/// How much longer than the text of the constructor the array is that a builder begins with.
const SPARE: u32 = 16;

/// From `new` to `toString`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct JoinedChain {
    pub(crate) new: CodeOffset,
    pub(crate) constructor: CodeOffset,
    /// Of the builder's first array.
    pub(crate) first_length: u32,
    pub(crate) to_string: CodeOffset,
}

impl JoinedChain {
    pub(crate) fn contains(&self, offset: CodeOffset) -> bool {
        (self.new..=self.to_string).contains(&offset)
    }
}

/// The chains in straight lines of a method of which these are all `instructions`, and whose
/// `allocations` these are: nothing else allocates in them, and no other tracked method is called.
///
/// # Errors
/// Those of the class file reader.
pub(crate) fn joined_chains(
    code: &Code<'_>,
    instructions: &[Instruction<'_>],
    allocations: &[Allocation],
    rules: &PoolRules,
) -> Result<Vec<JoinedChain>, Error> {
    let mut found = Vec::new();
    let mut open: Option<(JoinedChain, bool)> = None;
    for (position, instruction) in instructions.iter().enumerate() {
        if let Some(new) = chain_begins(code, instructions.get(position..).unwrap_or(&[]), rules)? {
            open = Some((new, false));
            continue;
        }
        let Some((chain, appends)) = open.as_mut() else {
            continue;
        };
        let at = |allocation: &Allocation| allocation.offset;
        if allocations
            .binary_search_by_key(&instruction.offset, at)
            .is_ok()
        {
            open = None;
            continue;
        }
        match link(code, instruction, rules)? {
            Link::Append => *appends = true,
            Link::ToString if *appends => {
                chain.to_string = instruction.offset;
                found.push(*chain);
                open = None;
            }
            Link::Other => {}
            Link::ToString | Link::End => open = None,
        }
    }
    if !found.is_empty() {
        found.retain(|chain| is_straight(chain, code, instructions));
    }
    Ok(found)
}

/// Whether a chain is a straight line: the note from before it is in a variable that no stack map frame mentions.
fn is_straight(chain: &JoinedChain, code: &Code<'_>, instructions: &[Instruction<'_>]) -> bool {
    let inner = |offset: CodeOffset| chain.contains(offset) && offset != chain.new;
    let mut handlers = code.exception_table().iter();
    let mut jumps = instructions
        .iter()
        .filter(|from| from.targets().next().is_some());
    !handlers.any(|row| inner(row.handler))
        && !jumps.any(|from| chain.contains(from.offset) || from.targets().any(inner))
}

/// The chain that begins with `new StringBuilder()`, or with `new StringBuilder("a constant")`.
fn chain_begins(
    code: &Code<'_>,
    instructions: &[Instruction<'_>],
    rules: &PoolRules,
) -> Result<Option<JoinedChain>, Error> {
    let [new, dup, rest @ ..] = instructions else {
        return Ok(None);
    };
    let Operand::Pool(class) = new.operand else {
        return Ok(None);
    };
    if (new.opcode, dup.opcode) != (Opcode::NEW, Opcode::DUP)
        || code.pool().class_name(class)? != BUILDER
    {
        return Ok(None);
    }
    let (constructor, descriptor, length) = match rest {
        [init, ..] if init.opcode == Opcode::INVOKESPECIAL => (init, PLAIN, 0),
        [text, init, ..] if init.opcode == Opcode::INVOKESPECIAL => match latin1_length(code, text)
        {
            Some(length) => (init, OF_STRING, length),
            None => return Ok(None),
        },
        _ => return Ok(None),
    };
    let Some(constant) = constructor
        .pool_index()
        .filter(|index| rules.is_tracked(*index))
    else {
        return Ok(None);
    };
    let member = code.pool().member_ref(constant)?;
    let is_plain =
        (member.class, member.name, member.descriptor) == (BUILDER, b"<init>", descriptor);
    Ok(is_plain.then_some(JoinedChain {
        new: new.offset,
        constructor: constructor.offset,
        first_length: length + SPARE,
        to_string: new.offset,
    }))
}

/// The length of a string constant whose characters have one byte each.
fn latin1_length(code: &Code<'_>, instruction: &Instruction<'_>) -> Option<u32> {
    let index = instruction
        .pool_index()
        .filter(|_| matches!(instruction.opcode, Opcode::LDC | Opcode::LDC_W))?;
    let text = code.pool().string(index).ok()?;
    // In modified UTF-8, characters from 0x80 to 0xFF take two bytes, 0 as well: a constant with them is left as it is.
    let is_ascii = text.iter().all(u8::is_ascii);
    u32::try_from(text.len()).ok().filter(|_| is_ascii)
}

/// What an instruction is to a chain.
enum Link {
    Append,
    ToString,
    Other,
    End,
}

fn link(code: &Code<'_>, instruction: &Instruction<'_>, rules: &PoolRules) -> Result<Link, Error> {
    let opcode = instruction.opcode;
    let leaves = instruction.is_unconditional_end() && instruction.targets().next().is_none();
    if leaves || opcode.is_jsr() {
        return Ok(Link::End);
    }
    let Some(index) = instruction.pool_index().filter(|_| opcode.is_invoke()) else {
        return Ok(Link::Other);
    };
    if !rules.is_tracked(index) {
        return Ok(Link::Other);
    }
    if opcode != Opcode::INVOKEVIRTUAL && opcode != Opcode::INVOKESPECIAL {
        return Ok(Link::End);
    }
    let member = code.pool().member_ref(index)?;
    if member.class != BUILDER {
        return Ok(Link::End);
    }
    Ok(match (member.name, member.descriptor) {
        (b"<init>", PLAIN | OF_STRING) => Link::Other,
        (b"append", descriptor) if is_joined(descriptor) => Link::Append,
        method if method == TO_STRING => Link::ToString,
        _ => Link::End,
    })
}

/// Whether C2 joins an `append` of this descriptor.
fn is_joined(descriptor: &[u8]) -> bool {
    matches!(
        descriptor,
        b"(Ljava/lang/String;)Ljava/lang/StringBuilder;"
            | b"(I)Ljava/lang/StringBuilder;"
            | b"(C)Ljava/lang/StringBuilder;"
    )
}
