//! Probes that stamp each object that a method uses (`DuckTrackUses` and `DuckTrackWitness` in `agent/helper`).
//!
//! | instruction | object | probe |
//! |---|---|---|
//! | entry of an instance method, not of a constructor | `this` | `aload_0; instance`; where entries are recorded, their probe stamps |
//! | `getfield` | the receiver | `dup; instance` |
//! | `putfield` | the receiver, under the value | `dup2; pop; instance` |
//! | `iaload`, `aaload`, ... | the array, under the index | `dup2; pop; numbers` or `any` |
//! | `iastore`, `aastore`, ... | the array, under index and value | `dup_x2; pop; dup2_x1; pop; numbers` or `any` |
//! | `arraylength`, `monitorenter` | the top | `dup; any` |
//! | `checkcast`, `instanceof` | the top | `dup; any` |
//! | `if_acmpeq`, `if_acmpne` | both | `dup2; any; any` |
//! | a call of a native method of `Object` without arguments | the receiver | `dup; any` |
//!
//! [`Stamps::Witness`] also stamps what is thrown, `this` of constructors once it is
//! initialized, and the old targets of references that are overwritten ([`overwritten`]).
//!
//! Every probe stands before its instruction, and `null` may be passed: the instruction throws its own exception.
//!
//! No stamp is needed where it cannot change after which collection an object was last used: for an object that was
//! stamped since the last *tick* on the same straight line, or was made on it. A tick is an instruction where compiled
//! code can be stopped for a collection: a call, an allocation, a monitor, a backward branch; and one that leaves a
//! record ([`Stamps::Records`]). So between two ticks the thread's position does not move, and the second stamp would say
//! what the first one says. In the interpreter, which can be stopped anywhere, the second of two adjacent uses may count
//! with the first. A constructor's own `this` is left out by [`Stamps::Uses`] as well: it was made a moment before.
//!
//! An object that its constructor has not initialized cannot be passed to a method: [`OperandCursor`] knows which operands may be such.

mod operands;
mod overwritten;
mod use_site;

pub(crate) use use_site::use_may_be_in;

use ducktrack_classfile::{CodeOffset, Error, Instruction, Opcode};
use ducktrack_code_edit::{
    Insertion, OperandCursor, OperandFlow, Place, Probe, ProbeMethod, Probes,
};
use ducktrack_probe_vocabulary::helper::{uses, witness};

use crate::labels::labels;
use crate::method_view::MethodView;
use crate::planned::Numbers;
use crate::probe::{CLAIM, calling};
use crate::refusal::Reason;
use crate::stamps::Stamps;
use operands::{Operands, Value, writes_first_variable};
use overwritten::{Overwritten, receiver_depth};
use use_site::{Depth, UseSite, UsedValue};

/// The method of the helper class that stamps such an object.
fn stamping(stamps: Stamps, used: UsedValue) -> ProbeMethod {
    let method = match (stamps.are_positions(), used) {
        (true, UsedValue::Instance) => witness::INSTANCE,
        (true, UsedValue::Numbers) => witness::NUMBERS,
        (true, UsedValue::Any) => witness::ANY,
        (false, UsedValue::Instance) => uses::INSTANCE,
        (false, UsedValue::Numbers) => uses::NUMBERS,
        (false, UsedValue::Any) => uses::ANY,
    };
    calling(method)
}

const LOST: ProbeMethod = calling(witness::LOST);
const FIELD: ProbeMethod = calling(witness::FIELD);
const ELEMENT: ProbeMethod = calling(witness::ELEMENT);

/// Classes whose methods the probes themselves run through, or whose `this` may be an array.
const NEVER: [&[u8]; 3] = [
    b"java/lang/Object",
    b"jdk/internal/misc/Unsafe",
    b"java/lang/invoke/MethodHandleImpl",
];

/// Whether a class is one of those.
pub(crate) fn has_no_probes(class: &[u8]) -> bool {
    NEVER.contains(&class)
}

/// The probes of one method. `is_entry_recorded`: what records the method's entry stamps its receiver.
pub(crate) fn use_probes(
    view: &MethodView<'_>,
    stamps: Stamps,
    is_entry_recorded: bool,
    probes: &mut Probes,
    numbers: &mut dyn Numbers,
) -> Result<Vec<Insertion>, Reason> {
    if has_no_probes(view.class.name()) {
        return Ok(Vec::new());
    }
    let flow = OperandFlow::of(view.method, &view.code, view.instructions)?;
    let mut planner = UsePlanner::new((view, &flow), stamps, probes, numbers)?;
    planner.enter(is_entry_recorded)?;
    for instruction in view.instructions {
        planner.visit(instruction)?;
    }
    planner.claim_stack()?;
    Ok(planner.insertions)
}

/// Goes through a method from front to back.
struct UsePlanner<'v, 'b> {
    view: &'v MethodView<'v>,
    stamps: Stamps,
    /// Updates are recorded.
    records: bool,
    probes: &'b mut Probes,
    numbers: &'b mut dyn Numbers,
    labels: Vec<CodeOffset>,
    initialization: OperandCursor<'v>,
    operands: Operands,
    /// Values stamped or made since the last tick.
    fresh: Vec<Value>,
    /// Values that cannot be null on this straight line.
    sure: Vec<Value>,
    insertions: Vec<Insertion>,
}

impl<'v, 'b> UsePlanner<'v, 'b> {
    fn new(
        (view, flow): (&'v MethodView<'v>, &'v OperandFlow),
        stamps: Stamps,
        probes: &'b mut Probes,
        numbers: &'b mut dyn Numbers,
    ) -> Result<Self, Reason> {
        let has_this = !view.is_static;
        let keeps_this = has_this && !writes_first_variable(view.instructions);
        Ok(Self {
            view,
            stamps,
            records: stamps.records().is_some() && !view.counted_by_callers,
            probes,
            numbers,
            labels: labels(&view.code, view.instructions),
            initialization: flow.cursor(),
            operands: Operands::at_entry(has_this, keeps_this),
            fresh: Vec::new(),
            sure: Vec::new(),
            insertions: Vec::new(),
        })
    }

    /// On entry: the receiver, unless the record of the entry does it.
    fn enter(&mut self, is_recorded: bool) -> Result<(), Reason> {
        if self.view.is_static || self.view.constructor {
            return Ok(());
        }
        self.fresh.push(Value::THIS);
        if is_recorded {
            return Ok(());
        }
        let method = stamping(self.stamps, UsedValue::Instance);
        let probe = self.probes.build().load_reference(0).invoke(method);
        let probe = probe.finish()?;
        self.insertions.push(probe.at(Place::Entry));
        Ok(())
    }

    fn visit(&mut self, instruction: &Instruction<'_>) -> Result<(), Reason> {
        if self.labels.binary_search(&instruction.offset).is_ok() {
            self.forget();
        }
        self.initialization.reach(instruction.offset);
        let site = UseSite::of(instruction, self.stamps, self.view.code.pool())?;
        if let Some(site) = site {
            self.stamp(instruction, site)?;
        }
        if self.stamps.are_positions() {
            self.lose(instruction)?;
            self.note_sure(instruction, site)?;
        }
        self.initialization
            .pass(instruction, self.view.code.pool())?;
        let made = self.operands.pass(instruction, self.view.code.pool())?;
        if is_tick(instruction) || self.is_recorded(instruction)? {
            self.fresh.clear();
        }
        self.fresh.extend(made);
        self.sure.extend(made);
        if instruction.is_unconditional_end() {
            self.forget();
        }
        Ok(())
    }

    /// Whether the instruction leaves a record of an update, so that the thread's position moves.
    fn is_recorded(&self, instruction: &Instruction<'_>) -> Result<bool, Reason> {
        Ok(self.records && Overwritten::of(instruction, self.view.code.pool())?.is_some())
    }

    /// Control may come from elsewhere.
    fn forget(&mut self) {
        self.operands.forget();
        self.fresh.clear();
        self.sure.clear();
    }

    /// Stamps the target of a reference that the instruction overwrites.
    fn lose(&mut self, instruction: &Instruction<'_>) -> Result<(), Reason> {
        let Some(old) = Overwritten::of(instruction, self.view.code.pool())? else {
            return Ok(());
        };
        if self.records && !matches!(old, Overwritten::Expected) {
            // The record's probe does it.
            return Ok(());
        }
        // Before the superclass's constructor is called, all fields are null.
        let is_object = self.initialization.is_object(1);
        let may_read = is_object && self.is_sure(self.operands.at(1));
        let probe = self.probes.build();
        let probe = match old {
            // The array was stamped on the way: the store throws what is wrong with it.
            Overwritten::Element => probe.dup_x2().pop().dup2_x1().invoke(ELEMENT),
            Overwritten::Static(constant) => probe.known_static_field(constant).invoke(LOST),
            Overwritten::Expected => probe.dup2().pop().invoke(LOST),
            Overwritten::Field(_, constant) if may_read => {
                probe.dup2().pop().known_field(constant).invoke(LOST)
            }
            Overwritten::Field(field, _) if is_object => match self.numbers.field(&field) {
                Some(number) => probe.dup2().pop().push(number).invoke(FIELD),
                None => return Ok(()),
            },
            Overwritten::Field(..) => return Ok(()),
        };
        let probe = probe.finish()?;
        self.insertions
            .push(probe.at(Place::Before(instruction.offset)));
        Ok(())
    }

    fn is_sure(&self, value: Value) -> bool {
        let is_this = value == Value::THIS && !self.view.is_static;
        is_this || value != Value::UNKNOWN && self.sure.contains(&value)
    }

    /// After the instruction its object is not null: with null it would have thrown.
    fn note_sure(
        &mut self,
        instruction: &Instruction<'_>,
        site: Option<UseSite>,
    ) -> Result<(), Reason> {
        let throws = !matches!(
            instruction.opcode,
            Opcode::CHECKCAST | Opcode::INSTANCEOF | Opcode::IF_ACMPEQ | Opcode::IF_ACMPNE
        );
        let of_site = site.filter(|_| throws).and_then(|site| match site.depth {
            Depth::Top => Some(0),
            Depth::Under(slots) => Some(slots),
            Depth::UnderTwo(slots) => Some(slots + 1),
            Depth::Both => None,
        });
        let depth = match of_site {
            Some(depth) => Some(depth),
            None => receiver_depth(instruction, self.view.code.pool())?,
        };
        let value = depth.map_or(Value::UNKNOWN, |depth| self.operands.at(depth));
        if value != Value::UNKNOWN {
            self.sure.push(value);
        }
        Ok(())
    }

    fn stamp(&mut self, instruction: &Instruction<'_>, site: UseSite) -> Result<(), Reason> {
        if self.stamps.are_positions() && instruction.opcode == Opcode::AASTORE {
            // With the element that is overwritten.
            return Ok(());
        }
        let wanted = match site.depth {
            Depth::Both if !self.is_object(0, site) || !self.is_object(1, site) => false,
            Depth::Both => self.wants(0, site) | self.wants(1, site),
            Depth::Top => self.wants(0, site),
            Depth::Under(slots) => self.wants(slots, site),
            Depth::UnderTwo(slots) => self.wants(slots + 1, site),
        };
        if wanted {
            let probe = probe(self.probes, stamping(self.stamps, site.used), site.depth)?;
            self.insertions
                .push(probe.at(Place::Before(instruction.offset)));
        }
        Ok(())
    }

    /// Whether the operand must be stamped; from then on it counts as stamped.
    fn wants(&mut self, depth: u16, site: UseSite) -> bool {
        let value = self.operands.at(depth);
        let is_own = !self.stamps.are_positions() && self.view.constructor;
        let is_redundant = !self.view.options.redundant_stamps && self.fresh.contains(&value);
        if is_own && value == Value::THIS || is_redundant {
            return false;
        }
        if !self.is_object(depth, site) {
            return false;
        }
        if value != Value::UNKNOWN {
            self.fresh.push(value);
        }
        true
    }

    /// Whether the operand can be passed to a method.
    fn is_object(&self, depth: u16, site: UseSite) -> bool {
        !site.may_be_uninitialized || self.initialization.is_object(depth)
    }

    /// A probe is a call, and the stack may end in it: then it must end on entry, before the method has done anything. The probe on
    /// entry needs as much stack as any other.
    fn claim_stack(&mut self) -> Result<(), Reason> {
        let is_entry = |insertion: &Insertion| insertion.place == Place::Entry;
        if self.insertions.iter().all(is_entry) || !self.view.allocations.is_empty() {
            return Ok(());
        }
        let claim = self.probes.build().push(0).invoke(CLAIM).finish()?;
        self.insertions.insert(0, claim.at(Place::Entry));
        Ok(())
    }
}

/// Whether compiled code can be stopped here.
fn is_tick(instruction: &Instruction<'_>) -> bool {
    let opcode = instruction.opcode;
    opcode.is_invoke()
        || opcode.is_allocation()
        || matches!(opcode, Opcode::MONITORENTER | Opcode::MONITOREXIT)
        || instruction.targets().any(|to| to <= instruction.offset)
}

/// Brings the object to the top, passes it, and puts everything back.
fn probe(probes: &mut Probes, method: ProbeMethod, depth: Depth) -> Result<Probe, Error> {
    let probe = probes.build();
    match depth {
        Depth::Top => probe.dup().invoke(method),
        Depth::Both => probe.dup2().invoke(method).invoke(method),
        Depth::Under(1) => probe.dup2().pop().invoke(method),
        Depth::Under(_) => {
            let under = probe.dup2_x1().pop2().dup();
            under.invoke(method).dup_x2().pop()
        }
        Depth::UnderTwo(1) => {
            let array = probe.dup_x2().pop().dup2_x1().pop();
            array.invoke(method)
        }
        Depth::UnderTwo(_) => {
            let array = probe.dup2_x2().pop2().dup2_x2().pop();
            array.invoke(method)
        }
    }
    .finish()
}
