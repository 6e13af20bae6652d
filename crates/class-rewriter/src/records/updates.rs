//! Updates of references.

use ducktrack_classfile::{CodeOffset, Instruction, MemberRef, Opcode, PoolIndex};
use ducktrack_code_edit::{
    OperandCursor, OperandFlow, Place, Probe, ProbeMethod, Probes, Replacement,
};
use ducktrack_probe_vocabulary::HelperMethod;
use ducktrack_probe_vocabulary::helper::{copies, records, unsafe_updates};

use super::RecordPlan;
use crate::method_view::MethodView;
use crate::planned::{Numbers, PlannedField};
use crate::probe::calling;
use crate::refusal::Reason;
use ducktrack_probe_vocabulary::AllocationKind;

const FIELD: ProbeMethod = calling(records::FIELD);
const INITIAL: ProbeMethod = calling(records::INITIAL);
const STATIC: ProbeMethod = calling(records::FIELD_OF_CLASS);
const ELEMENT: ProbeMethod = calling(records::ELEMENT);
const COPIED: ProbeMethod = calling(copies::COPIED);
const ARRAYCOPY: ProbeMethod = calling(copies::ARRAYCOPY);
const ARRAY_SET: ProbeMethod = calling(records::SET);

const UNSAFE_CLASS: &[u8] = b"jdk/internal/misc/Unsafe";
/// The number of bytes after the parenthesis in which a descriptor of [`unsafe_updates`] agrees with that of the replaced method.
const UNSAFE_PARAMETER: usize = UNSAFE_CLASS.len() + 2;

/// Adds the probes that record the updates of a method.
pub(super) fn plan(
    view: &MethodView<'_>,
    probes: &mut Probes,
    numbers: &mut dyn Numbers,
    plan: &mut RecordPlan,
) -> Result<(), Reason> {
    let flow = OperandFlow::of(view.method, &view.code, view.instructions)?;
    let mut planner = UpdatePlanner {
        view,
        probes,
        numbers,
        plan,
        initialization: flow.cursor(),
        early: Vec::new(),
        initialized_after: Vec::new(),
    };
    for instruction in view.instructions {
        planner.visit(instruction)?;
    }
    planner.record_early()?;
    planner.copies()
}

struct UpdatePlanner<'v, 'b> {
    view: &'v MethodView<'v>,
    probes: &'b mut Probes,
    numbers: &'b mut dyn Numbers,
    plan: &'b mut RecordPlan,
    initialization: OperandCursor<'v>,
    /// Fields that a constructor sets before its object is initialized.
    early: Vec<u32>,
    /// The calls that initialize it, and leave it in variable 0.
    initialized_after: Vec<CodeOffset>,
}

impl UpdatePlanner<'_, '_> {
    fn visit(&mut self, instruction: &Instruction<'_>) -> Result<(), Reason> {
        self.initialization.reach(instruction.offset);
        self.update(instruction)?;
        let was_uninitialized = self.initialization.has_uninitialized_this();
        self.initialization
            .pass(instruction, self.view.code.pool())?;
        if was_uninitialized && self.initialization.this_is_object() {
            self.initialized_after.push(instruction.offset);
        }
        Ok(())
    }

    fn insert(&mut self, place: Place, probe: Probe) {
        self.plan.insertions.push(probe.at(place));
    }

    fn update(&mut self, instruction: &Instruction<'_>) -> Result<(), Reason> {
        let offset = instruction.offset;
        if instruction.opcode == Opcode::AASTORE {
            let probe = self.probes.build().dup_x2().pop().dup2_x1();
            let probe = probe.invoke(ELEMENT).finish()?;
            self.insert(Place::Before(offset), probe);
            return Ok(());
        }
        let Some(index) = instruction.pool_index() else {
            return Ok(());
        };
        match instruction.opcode {
            Opcode::PUTFIELD => self.field(offset, &self.view.code.pool().member_ref(index)?),
            Opcode::PUTSTATIC => {
                let field = self.view.code.pool().member_ref(index)?;
                self.static_field(offset, index, &field)
            }
            Opcode::INVOKESTATIC | Opcode::INVOKEVIRTUAL => {
                let method = self.view.code.pool().member_ref(index)?;
                self.call(offset, instruction.opcode, &method)
            }
            _ => Ok(()),
        }
    }

    fn field(&mut self, offset: CodeOffset, field: &MemberRef<'_>) -> Result<(), Reason> {
        if !is_reference(field) {
            return Ok(());
        }
        let Some(number) = self.numbers.field(field) else {
            return Ok(());
        };
        if !self.initialization.is_object(1) {
            if !self.early.contains(&number) {
                self.early.push(number);
            }
            return Ok(());
        }
        let probe = self.probes.build().dup2().push(number).invoke(FIELD);
        let probe = probe.finish()?;
        self.insert(Place::Before(offset), probe);
        Ok(())
    }

    /// After each call that initializes `this`: whichever fields have been set by then.
    fn record_early(&mut self) -> Result<(), Reason> {
        for offset in std::mem::take(&mut self.initialized_after) {
            for number in self.early.clone() {
                let probe = self.probes.build().load_reference(0).push(number);
                let probe = probe.invoke(INITIAL).finish()?;
                self.insert(Place::After(offset), probe);
            }
        }
        Ok(())
    }

    fn static_field(
        &mut self,
        offset: CodeOffset,
        constant: PoolIndex,
        field: &MemberRef<'_>,
    ) -> Result<(), Reason> {
        if !is_reference(field) {
            return Ok(());
        }
        let Some(number) = self.numbers.field(field) else {
            return Ok(());
        };
        if self.plan.fields.iter().all(|known| known.number != number) {
            self.plan.fields.push(PlannedField {
                number,
                class: field.class.into(),
                name: field.name.into(),
                descriptor: field.descriptor.into(),
            });
        }
        let probe = self.probes.build().dup().known_static_field(constant);
        let probe = probe.push(number).invoke(STATIC).finish()?;
        self.insert(Place::Before(offset), probe);
        Ok(())
    }

    fn call(
        &mut self,
        offset: CodeOffset,
        opcode: Opcode,
        method: &MemberRef<'_>,
    ) -> Result<(), Reason> {
        let instead = match opcode {
            Opcode::INVOKESTATIC => library_update(method),
            _ => unsafe_update(method),
        };
        if let Some(instead) = instead {
            let method = self.probes.method(instead)?;
            self.plan.replacements.push(Replacement {
                call: offset,
                method,
            });
        }
        Ok(())
    }

    /// Copies of objects with references.
    fn copies(&mut self) -> Result<(), Reason> {
        let view = self.view;
        let copies = view.allocations.iter().filter(|allocation| {
            let makes_copy = matches!(
                allocation.kind,
                AllocationKind::Clone | AllocationKind::Intrinsic
            );
            let ty = allocation.types.first().and_then(Option::as_deref);
            let has_references =
                ty.is_none_or(|ty| !matches!(ty, [b'[', element] if *element != b'['));
            makes_copy && has_references
        });
        for allocation in copies {
            let probe = self.probes.build().dup().invoke(COPIED).finish()?;
            self.insert(Place::After(allocation.offset), probe);
        }
        Ok(())
    }
}

fn is_reference(field: &MemberRef<'_>) -> bool {
    matches!(field.descriptor.first(), Some(b'L' | b'['))
}

/// Methods of the library that set elements.
fn library_update(method: &MemberRef<'_>) -> Option<ProbeMethod> {
    let instead = match (method.class, method.name) {
        (b"java/lang/System", b"arraycopy") => ARRAYCOPY,
        (b"java/lang/reflect/Array", b"set") => ARRAY_SET,
        _ => return None,
    };
    (method.descriptor == instead.descriptor.as_bytes()).then_some(instead)
}

fn unsafe_update(method: &MemberRef<'_>) -> Option<ProbeMethod> {
    if method.class != UNSAFE_CLASS {
        return None;
    }
    let (_, rest) = method.descriptor.split_first()?;
    let is_it = |update: &&HelperMethod| {
        let parameters = update.descriptor.as_bytes();
        update.name.as_bytes() == method.name
            && parameters.get(1 + UNSAFE_PARAMETER..) == Some(rest)
    };
    unsafe_updates::ALL.iter().find(is_it).copied().map(calling)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn method(
        class: &'static [u8],
        name: &'static [u8],
        descriptor: &'static [u8],
    ) -> MemberRef<'static> {
        MemberRef {
            class,
            name,
            descriptor,
            interface: false,
        }
    }

    #[test]
    fn updates_by_unsafe_go_to_the_method_of_the_same_name() {
        let put = b"(Ljava/lang/Object;JLjava/lang/Object;)V";
        let found = unsafe_update(&method(UNSAFE_CLASS, b"putReferenceRelease", put));
        assert_eq!(found, Some(calling(unsafe_updates::PUT_RELEASE)));
        let found = unsafe_update(&method(UNSAFE_CLASS, b"putReference", b"()V"));
        assert_eq!(found, None);
        assert_eq!(unsafe_update(&method(b"A", b"putReference", put)), None);
        let exchange =
            b"(Ljava/lang/Object;JLjava/lang/Object;Ljava/lang/Object;)Ljava/lang/Object;";
        let found = unsafe_update(&method(
            UNSAFE_CLASS,
            b"compareAndExchangeReference",
            exchange,
        ));
        assert_eq!(found, Some(calling(unsafe_updates::EXCHANGE)));
    }
}
