//! Finds the instructions of a method that allocate, what they allocate, and how their objects are measured.
//!
//! ```text
//!   10: iconst_3
//!   11: newarray int                one level, [I, constant length 3
//!   13: new Point                   one level, LPoint;
//!   20: multianewarray [[J, 2       two levels, [[J and [J, lengths known at run time only
//! ```

use ducktrack_classfile::{ClassFile, Code, CodeOffset, Instruction, Opcode, Operand};

use crate::allocation_kind::{ElementSize, machinery_kind};
use crate::call_rules::CallRule;
use crate::labels::labels;
use crate::new_type::{class_descriptor, primitive_array};
use crate::pool_rules::{DynamicRule, PoolRules};
use crate::site_facts::{BytecodeFacts, Surroundings};
use ducktrack_probe_vocabulary::AllocationKind;

/// An instruction that allocates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Allocation {
    /// Where it is.
    pub offset: CodeOffset,
    /// The way of allocating.
    pub kind: AllocationKind,
    /// What is allocated, outermost first; more than one only for `multianewarray`.
    /// A descriptor; `None` if the class is only known at run time.
    pub types: Vec<Option<Box<[u8]>>>,
    /// How the objects are counted.
    pub measure: Measure,
    /// Facts that its bytecode has, in classes that are not the JDK's.
    pub facts: BytecodeFacts,
}

/// Number and sizes of the objects that one execution makes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Measure {
    /// One object of the class.
    Instance,
    /// One object whose fields are the parameters of this descriptor (a lambda's captured values).
    Captured(Box<[u8]>),
    /// Arrays of constant lengths, outermost first.
    ConstantLengths(Vec<u32>),
    /// One array; its length is read after it was made.
    Length,
    /// Many-dimensional arrays; the lengths are read after they were made.
    Lengths,
    /// The result of a call.
    Call(CallMeasure),
}

/// How a call is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallMeasure(pub(crate) CallRule);

/// Adds the facts that only bytecode has.
pub(crate) fn find_facts(surroundings: &Surroundings<'_>, allocations: &mut [Allocation]) {
    for allocation in allocations {
        allocation.facts = match (&allocation.measure, allocation.types.first()) {
            (Measure::Captured(descriptor), _) => {
                surroundings.of_closure(allocation.offset, descriptor)
            }
            (_, Some(Some(ty))) if allocation.kind == AllocationKind::NewArray => {
                surroundings.of_array(allocation.offset, ty)
            }
            _ => surroundings.of_other(allocation.offset),
        };
    }
}

/// The most objects one execution of a `multianewarray` of constant lengths may make and still be counted by a constant.
const MOST_CONSTANT_OBJECTS: u64 = 1 << 20;

/// The instructions of a method that allocate, in order of offset; these are all its `instructions`.
///
/// # Errors
/// Those of the class file reader.
pub fn allocations(
    class: &ClassFile<'_>,
    code: &Code<'_>,
    instructions: &[Instruction<'_>],
    rules: &PoolRules,
) -> Result<Vec<Allocation>, ducktrack_classfile::Error> {
    let mut found = Vec::new();
    let mut before = LastConstants::default();
    for instruction in instructions {
        if let Some(allocation) = allocation(class, code, rules, instruction, &before)? {
            found.push(allocation);
        }
        before.push(code, instruction);
    }
    if let Some(kind) = machinery_kind(class.name()) {
        let plain = |allocation: &&mut Allocation| {
            matches!(
                allocation.kind,
                AllocationKind::New | AllocationKind::UnsafeAllocate
            )
        };
        found
            .iter_mut()
            .filter(plain)
            .for_each(|allocation| allocation.kind = kind);
    }
    if found
        .iter()
        .any(|allocation| matches!(allocation.measure, Measure::ConstantLengths(_)))
    {
        forget_joined_constants(&labels(code, instructions), &mut found);
    }
    Ok(found)
}

/// A quick look: whether an instruction may allocate.
pub(crate) fn may_allocate(instruction: &Instruction<'_>, rules: &PoolRules) -> bool {
    instruction.opcode.is_allocation() || rules.may_apply_to(instruction)
}

fn allocation(
    class: &ClassFile<'_>,
    code: &Code<'_>,
    rules: &PoolRules,
    instruction: &Instruction<'_>,
    before: &LastConstants,
) -> Result<Option<Allocation>, ducktrack_classfile::Error> {
    let at = |kind, types, measure| {
        Some(Allocation {
            offset: instruction.offset,
            kind,
            types,
            measure,
            facts: BytecodeFacts::default(),
        })
    };
    let pool = code.pool();
    Ok(match (instruction.opcode, instruction.operand) {
        (Opcode::NEW, Operand::Pool(index)) => at(
            AllocationKind::New,
            vec![Some(class_descriptor(pool.class_name(index)?))],
            Measure::Instance,
        ),
        (Opcode::NEWARRAY, Operand::ArrayType(primitive)) => {
            primitive_array(primitive).and_then(|ty| {
                at(
                    AllocationKind::NewArray,
                    vec![Some(ty.into())],
                    before.length(),
                )
            })
        }
        (Opcode::ANEWARRAY, Operand::Pool(index)) => {
            let ty = [b"[".as_slice(), &class_descriptor(pool.class_name(index)?)].concat();
            at(
                AllocationKind::NewArray,
                vec![Some(ty.into())],
                before.length(),
            )
        }
        (Opcode::MULTIANEWARRAY, Operand::MultiArray(index, dimensions)) => {
            let ty = pool.class_name(index)?;
            let types = (0..usize::from(dimensions))
                .map(|level| ty.get(level..).map(Box::from))
                .collect();
            at(
                AllocationKind::MultiNewArray,
                types,
                before.lengths(dimensions),
            )
        }
        (Opcode::INVOKEDYNAMIC, Operand::Pool(index)) => match rules.dynamic(index) {
            Some(DynamicRule::Captures { kind, descriptor }) => {
                let ty = [b"L".as_slice(), class.name(), b"$$Lambda;"].concat();
                at(
                    *kind,
                    vec![Some(ty.into())],
                    Measure::Captured(descriptor.clone()),
                )
            }
            _ => None,
        },
        (opcode, Operand::Pool(index)) if is_invoke(opcode) => {
            match rules.call(opcode, class.name(), pool, index)? {
                Some((rule, kind, ty)) => at(kind, vec![ty], Measure::Call(CallMeasure(rule))),
                None => None,
            }
        }
        _ => None,
    })
}

fn is_invoke(opcode: Opcode) -> bool {
    matches!(
        opcode,
        Opcode::INVOKEVIRTUAL
            | Opcode::INVOKESPECIAL
            | Opcode::INVOKESTATIC
            | Opcode::INVOKEINTERFACE
    )
}

/// The constants pushed by the instructions just before, newest last.
#[derive(Default)]
struct LastConstants {
    values: Vec<i32>,
}

impl LastConstants {
    fn push(&mut self, code: &Code<'_>, instruction: &Instruction<'_>) {
        match constant(code, instruction) {
            Some(value) => self.values.push(value),
            None => self.values.clear(),
        }
    }

    fn length(&self) -> Measure {
        match self.values.last().map(|value| u32::try_from(*value)) {
            Some(Ok(length)) => Measure::ConstantLengths(vec![length]),
            _ => Measure::Length,
        }
    }

    fn lengths(&self, dimensions: u8) -> Measure {
        let wanted = usize::from(dimensions);
        let lengths: Option<Vec<u32>> = self
            .values
            .len()
            .checked_sub(wanted)
            .and_then(|start| self.values.get(start..))
            .and_then(|values| {
                values
                    .iter()
                    .map(|value| u32::try_from(*value).ok())
                    .collect()
            });
        let few = |lengths: &Vec<u32>| {
            lengths
                .iter()
                .map(|length| u64::from(*length).max(1))
                .try_fold(1u64, u64::checked_mul)
                .is_some_and(|objects| objects <= MOST_CONSTANT_OBJECTS)
        };
        match lengths {
            Some(lengths) if wanted > 0 && few(&lengths) => Measure::ConstantLengths(lengths),
            _ => Measure::Lengths,
        }
    }
}

fn constant(code: &Code<'_>, instruction: &Instruction<'_>) -> Option<i32> {
    match (instruction.opcode, instruction.operand) {
        (Opcode(opcode @ 2..=8), _) => Some(i32::from(opcode) - 3),
        (Opcode::BIPUSH | Opcode::SIPUSH, Operand::Value(value)) => Some(value),
        (Opcode::LDC | Opcode::LDC_W, Operand::Pool(index)) => code.pool().integer(index).ok(),
        _ => None,
    }
}

/// A constant before an instruction is not its operand if control can come from elsewhere (`c ? 3 : 4`): then a branch target
/// lies between the first constant and the allocation.
fn forget_joined_constants(targets: &[CodeOffset], found: &mut [Allocation]) {
    for allocation in found {
        if let Measure::ConstantLengths(lengths) = &allocation.measure {
            // A constant takes at most 3 bytes, so the first one starts no earlier than this; a target a little before
            // it costs only a length that is read at run time.
            let first = CodeOffset(
                allocation
                    .offset
                    .0
                    .saturating_sub(3 * u32::try_from(lengths.len()).unwrap_or(u32::MAX)),
            );
            let next = targets.partition_point(|target| *target <= first);
            if targets
                .get(next)
                .is_some_and(|target| *target <= allocation.offset)
            {
                allocation.measure = if allocation.types.len() > 1
                    || allocation.kind == AllocationKind::MultiNewArray
                {
                    Measure::Lengths
                } else {
                    Measure::Length
                };
            }
        }
    }
}

/// The element size of the array that an allocation's level makes.
pub(crate) fn element_size(ty: Option<&[u8]>) -> Option<ElementSize> {
    ty.and_then(ElementSize::of_array)
}
