//! The probes of chains that C2 joins ([`crate::joined_chains`]): at the chains, and in the bodies of `StringBuilder`.

use ducktrack_classfile::{CodeOffset, Instruction, Opcode};
use ducktrack_code_edit::{Place, ProbeMethod};
use ducktrack_probe_vocabulary::helper::{callers, counting};
use ducktrack_probe_vocabulary::{AllocationKind, Unit};

use crate::allocation_kind::ElementSize;
use crate::allocation_site::{Allocation, Measure};
use crate::joined_chains::{JoinedChain, OF_STRING, PLAIN, TO_STRING};
use crate::part::{Part, PartBuilder};
use crate::planned::{Role, SizeRule, Term};
use crate::planner::Planner;
use crate::probe::calling;
use crate::refusal::Reason;
use crate::site_facts::BytecodeFacts;
use crate::site_plan::increment;
use crate::stack_claim::claim_stack;

const COUNT_JOINED: ProbeMethod = calling(counting::COUNT_JOINED);
const NOTE_COUNTED: ProbeMethod = calling(callers::NOTE_COUNTED_IF_JOINED);
const RESTORE_NOTE: ProbeMethod = calling(callers::RESTORE_NOTE);

/// Counters of chains, before and after them.
pub(crate) struct JoinedChains;

impl Planner for JoinedChains {
    fn plan(&self, mut builder: PartBuilder<'_>) -> Result<Part, Reason> {
        let view = builder.view;
        if !view.joined.is_empty() && view.allocations.is_empty() {
            claim_stack(&mut builder)?;
        }
        for chain in &view.joined {
            count_joined(&mut builder, chain)?;
        }
        Ok(builder.part)
    }
}

/// The bodies of `StringBuilder` whose objects the chains count.
pub(crate) struct JoinedBodies;

impl Planner for JoinedBodies {
    fn plan(&self, mut builder: PartBuilder<'_>) -> Result<Part, Reason> {
        match (builder.view.method.name(), builder.view.descriptor) {
            (b"<init>", PLAIN | OF_STRING) => leave_first_array(&mut builder)?,
            method if method == TO_STRING => leave_string(&mut builder)?,
            _ => {}
        }
        Ok(builder.part)
    }
}

fn count_joined(builder: &mut PartBuilder<'_>, chain: &JoinedChain) -> Result<(), Reason> {
    let one = |site| Term::one(site, Unit::Count);
    let object = made(chain.new, AllocationKind::New, b"Ljava/lang/StringBuilder;");
    let object = builder.add_site(&object, 0, SizeRule::OfClass)?;
    let first = made(chain.constructor, AllocationKind::StringConcat, b"[B");
    let size = SizeRule::OfArray(ElementSize::One, chain.first_length);
    let first = builder.add_site(&first, 0, size)?;
    let before = builder.add_counters(Role::Increment, vec![vec![one(object), one(first)]])?;
    let probe = increment(builder, before)?;
    builder.insert(Place::Before(chain.new), probe);

    let kind = AllocationKind::StringConcat;
    let mut string = made(chain.to_string, kind, b"Ljava/lang/String;");
    string.types.push(Some(b"[B".as_slice().into()));
    let array = builder.add_site(&string, 1, SizeRule::Summed)?;
    let string = builder.add_site(&string, 0, SizeRule::OfClass)?;
    let meanings = vec![
        vec![one(string), one(array)],
        vec![Term::one(array, Unit::Bytes)],
    ];
    let after = builder.add_counters(Role::Amount, meanings)?;
    let probe = builder
        .probes
        .build()
        .dup()
        .push_later(after)
        .invoke(COUNT_JOINED);
    let probe = probe.finish()?;
    builder.insert(Place::After(chain.to_string), probe);
    Ok(())
}

/// In a constructor, around the constructor of the superclass, which makes the array.
fn leave_first_array(builder: &mut PartBuilder<'_>) -> Result<(), Reason> {
    let is_call = |instruction: &&Instruction<'_>| instruction.opcode == Opcode::INVOKESPECIAL;
    let Some(call) = builder.view.instructions.iter().find(is_call) else {
        return Ok(());
    };
    let outer = builder.view.code.max_locals();
    let probe = builder
        .probes
        .build()
        .invoke(NOTE_COUNTED)
        .store_long(outer);
    let probe = probe.finish()?;
    builder.insert(Place::Before(call.offset), probe);
    let probe = builder.probes.build().load_long(outer).invoke(RESTORE_NOTE);
    let probe = probe.finish()?;
    builder.insert(Place::After(call.offset), probe);
    Ok(())
}

/// In `toString`. The chain restores the note after it.
fn leave_string(builder: &mut PartBuilder<'_>) -> Result<(), Reason> {
    let probe = builder
        .probes
        .build()
        .invoke(NOTE_COUNTED)
        .pop2()
        .finish()?;
    builder.insert(Place::Entry, probe);
    Ok(())
}

fn made(offset: CodeOffset, kind: AllocationKind, ty: &[u8]) -> Allocation {
    Allocation {
        offset,
        kind,
        types: vec![Some(ty.into())],
        measure: Measure::Instance,
        facts: BytecodeFacts::default(),
    }
}
