//! Assigns insertions to places between the original instructions.

use ducktrack_classfile::CodeOffset;

use crate::code_edit::{CodeEdit, Insertion, Place};
use crate::inserted_code::check_insertion;
use crate::skip_reason::SkipReason;
use crate::unit::{UnitId, Units};

/// The order of insertions at one instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Order {
    /// Before the label: on method entry, or after the previous instruction.
    AfterPrevious,
    /// Before the label, belonging to the instruction.
    FallingIn,
    /// After the label.
    Before,
    /// Just before a `goto` that is always taken.
    OnGoto,
}

/// One insertion between the original instructions.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Slot {
    pub(crate) unit: UnitId,
    pub(crate) order: Order,
    /// Index in the edit's list.
    pub(crate) insertion: usize,
}

/// One insertion on a taken edge.
#[derive(Debug, Clone, Copy)]
pub(crate) struct EdgeSlot {
    pub(crate) from: UnitId,
    pub(crate) to: UnitId,
    pub(crate) insertion: usize,
}

/// The places of all insertions.
#[derive(Debug, Clone, Default)]
pub(crate) struct Slots {
    /// By instruction, then by order.
    pub(crate) in_line: Vec<Slot>,
    /// By branch, then by target.
    pub(crate) on_edges: Vec<EdgeSlot>,
}

impl Slots {
    /// Finds the place of each insertion and reserves room for it.
    pub(crate) fn assign(
        edit: &CodeEdit,
        units: &mut Units<'_>,
        max_locals: u16,
    ) -> Result<Self, SkipReason> {
        let mut slots = Self::default();
        for (insertion, Insertion { place, code, .. }) in edit.insertions.iter().enumerate() {
            check_insertion(*place, code, max_locals)?;
            slots.assign_one(*place, insertion, units)?;
        }
        slots.in_line.sort_by_key(|slot| (slot.unit, slot.order));
        slots.on_edges.sort_by_key(|slot| (slot.from, slot.to));
        slots.make_room(edit, units)?;
        Ok(slots)
    }

    fn assign_one(
        &mut self,
        place: Place,
        insertion: usize,
        units: &Units<'_>,
    ) -> Result<(), SkipReason> {
        let find = |offset: CodeOffset| units.find(offset).ok_or(SkipReason::BadPlace(offset));
        let (unit, order) = match place {
            Place::Entry => (UnitId(0), Order::AfterPrevious),
            Place::Before(at) => (find(at)?, Order::Before),
            Place::FallThroughInto(at) => {
                let unit = find(at)?;
                let previous = units.previous(unit).ok_or(SkipReason::BadPlace(at))?;
                if previous.instruction.is_unconditional_end() {
                    return Ok(());
                }
                (unit, Order::FallingIn)
            }
            Place::After(at) => {
                let unit = find(at)?;
                if units
                    .get(unit)
                    .is_some_and(|unit| unit.instruction.is_unconditional_end())
                {
                    return Ok(());
                }
                units.get(unit.next()).ok_or(SkipReason::FallsOffEnd)?;
                (unit.next(), Order::AfterPrevious)
            }
            Place::OnBranch { from, to } => {
                let (from_unit, to_unit) = (find(from)?, find(to)?);
                let unit = units.get(from_unit).ok_or(SkipReason::BadPlace(from))?;
                if !unit.instruction.targets().any(|target| target == to) {
                    return Err(SkipReason::BadPlace(from));
                }
                if !unit.always_branches() {
                    self.on_edges.push(EdgeSlot {
                        from: from_unit,
                        to: to_unit,
                        insertion,
                    });
                    return Ok(());
                }
                (from_unit, Order::OnGoto)
            }
        };
        self.in_line.push(Slot {
            unit,
            order,
            insertion,
        });
        Ok(())
    }

    fn make_room(&self, edit: &CodeEdit, units: &mut Units<'_>) -> Result<(), SkipReason> {
        for slot in &self.in_line {
            let length = edit
                .insertions
                .get(slot.insertion)
                .map_or(0, |insertion| insertion.code.len());
            let length = u32::try_from(length).map_err(|_| SkipReason::BadCode)?;
            if let Some(unit) = units.get_mut(slot.unit) {
                let room = if slot.order < Order::Before {
                    &mut unit.falling
                } else {
                    &mut unit.before
                };
                *room = room
                    .checked_add(length)
                    .ok_or(SkipReason::TooLarge(u32::MAX))?;
            }
        }
        for slot in &self.on_edges {
            if let Some(unit) = units.get_mut(slot.from) {
                unit.routed = true;
            }
        }
        Ok(())
    }
}
