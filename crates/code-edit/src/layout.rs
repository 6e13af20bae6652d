//! The new offset of everything.

use std::collections::BTreeMap;

use ducktrack_classfile::{Code, CodeOffset, ExceptionTable};

use crate::code_edit::{CodeEdit, HandlerExit};
use crate::inserted_code::check_code;
use crate::operand_flow::ConstructorHead;
use crate::skip_reason::SkipReason;
use crate::slots::{EdgeSlot, Slots};
use crate::stub::{Exit, Stub};
use crate::trampoline::{Trampoline, TrampolineId};
use crate::unit::{UnitId, Units};

/// HotSpot's `HugeMethodLimit`: larger methods are never compiled.
const LARGEST_COMPILED: u32 = 8_000;

/// Largest code that a class file can hold.
const LARGEST: u32 = 65_535;

/// Instructions, trampolines and stubs with their new offsets.
#[derive(Debug)]
pub(crate) struct Layout<'c> {
    pub(crate) units: Units<'c>,
    pub(crate) slots: Slots,
    pub(crate) trampolines: Vec<Trampoline>,
    /// Which trampoline a branch takes to a target.
    routes: BTreeMap<(UnitId, UnitId), TrampolineId>,
    pub(crate) stubs: Vec<Stub>,
    /// The original exception table.
    pub(crate) exceptions: ExceptionTable<'c>,
    /// Where `this` may be uninitialized.
    pub(crate) head: ConstructorHead,
    /// New offset after the last original instruction.
    pub(crate) main_end: u32,
    /// Length of the new code.
    pub(crate) end: u32,
}

impl<'c> Layout<'c> {
    /// A layout of the whole edit in which nothing has been placed yet.
    pub(crate) fn new(
        edit: &CodeEdit,
        head: ConstructorHead,
        code: &Code<'c>,
        units: Units<'c>,
        slots: Slots,
    ) -> Result<Self, SkipReason> {
        let trampolines = trampolines(edit, &slots.on_edges)?;
        let keys = trampolines
            .iter()
            .map(|trampoline| (trampoline.from, trampoline.to));
        let routes = keys.zip((0..).map(TrampolineId)).collect();
        let stubs = stubs(edit, &units)?;
        let exceptions = code.exception_table();
        Ok(Self {
            units,
            slots,
            trampolines,
            routes,
            stubs,
            exceptions,
            head,
            main_end: 0,
            end: 0,
        })
    }

    /// Gives everything its new offset, from front to back.
    pub(crate) fn place(&mut self) {
        let mut islands = self.islands();
        islands.reverse();
        let mut at = 0;
        for (id, unit) in (0..).map(UnitId).zip(self.units.as_mut_slice()) {
            unit.gap = at;
            while let Some((_, trampoline)) = islands.pop_if(|(place, _)| *place == id) {
                if let Some(trampoline) = self.trampolines.get_mut(trampoline.0) {
                    trampoline.at = at;
                    at += trampoline.size();
                }
            }
            unit.label = at + unit.falling;
            unit.insn = unit.label + unit.before;
            at = unit.end();
        }
        self.main_end = at;
        for trampoline in self
            .trampolines
            .iter_mut()
            .filter(|trampoline| trampoline.island.is_none())
        {
            trampoline.at = at;
            at += trampoline.size();
        }
        for stub in &mut self.stubs {
            stub.at = at;
            at += stub.size();
        }
        self.end = at;
    }

    /// Trampolines that stand between instructions, in order.
    pub(crate) fn islands(&self) -> Vec<(UnitId, TrampolineId)> {
        let numbered = self.trampolines.iter().zip((0..).map(TrampolineId));
        let mut islands: Vec<_> = numbered
            .filter_map(|(t, id)| Some((t.island?, id)))
            .collect();
        islands.sort_unstable();
        islands
    }

    /// The trampoline that `from` takes to reach `to`.
    pub(crate) fn route(&self, from: UnitId, to: UnitId) -> Option<TrampolineId> {
        self.routes.get(&(from, to)).copied()
    }

    /// Adds a stepping stone from `from` to `to`.
    pub(crate) fn add_stepping_stone(&mut self, from: UnitId, to: UnitId, island: Option<UnitId>) {
        let id = TrampolineId(self.trampolines.len());
        self.trampolines.push(Trampoline {
            from,
            to,
            slots: 0..0,
            inserted: 0,
            island,
            wide: false,
            at: 0,
        });
        self.routes.insert((from, to), id);
        if let Some(unit) = self.units.get_mut(from) {
            unit.routed = true;
        }
    }

    /// New offset that the branch `from` must name to reach the old offset `to`.
    pub(crate) fn destination(&self, from: UnitId, to: CodeOffset) -> Result<u32, SkipReason> {
        let target = self
            .units
            .find(to)
            .ok_or(SkipReason::NotAnInstruction(to))?;
        let routed = self.units.get(from).is_some_and(|unit| unit.routed);
        let trampoline = self.route(from, target).filter(|_| routed);
        match trampoline.and_then(|id| self.trampolines.get(id.0)) {
            Some(trampoline) => Ok(trampoline.at),
            None => self.label_of(target),
        }
    }

    /// New offset where branches to `unit` land.
    pub(crate) fn label_of(&self, unit: UnitId) -> Result<u32, SkipReason> {
        self.units
            .get(unit)
            .map(|unit| unit.label)
            .ok_or(SkipReason::FallsOffEnd)
    }

    /// New offset for jumps, handlers and ranges that start at `old`.
    pub(crate) fn label(&self, old: CodeOffset) -> Result<u32, SkipReason> {
        self.label_of(
            self.units
                .find(old)
                .ok_or(SkipReason::NotAnInstruction(old))?,
        )
    }

    /// New offset of the instruction that was at `old`.
    pub(crate) fn insn(&self, old: CodeOffset) -> Result<u32, SkipReason> {
        let unit = self.units.find(old).and_then(|id| self.units.get(id));
        unit.map(|unit| unit.insn)
            .ok_or(SkipReason::NotAnInstruction(old))
    }

    /// New end of ranges that end at `old`: before any islands.
    pub(crate) fn range_end(&self, old: CodeOffset) -> Result<u32, SkipReason> {
        if old == self.units.old_end() {
            return Ok(self.main_end);
        }
        let unit = self.units.find(old).and_then(|id| self.units.get(id));
        let unit = unit.ok_or(SkipReason::NotAnInstruction(old))?;
        Ok(if unit.falling == 0 {
            unit.gap
        } else {
            unit.label
        })
    }

    /// Refuses code beyond the limits of class files and of the JIT compiler.
    pub(crate) fn check_size(&self, code: &Code<'_>) -> Result<(), SkipReason> {
        if self.end > LARGEST {
            return Err(SkipReason::TooLarge(self.end));
        }
        if self.end > LARGEST_COMPILED && code.end().0 <= LARGEST_COMPILED {
            return Err(SkipReason::TooLargeToCompile(self.end));
        }
        let last = self.units.as_slice().last();
        let closed = last.is_some_and(|unit| unit.instruction.is_unconditional_end());
        if self.end > self.main_end && !closed {
            return Err(SkipReason::FallsOffEnd);
        }
        Ok(())
    }
}

/// One trampoline per edge that has insertions.
fn trampolines(edit: &CodeEdit, slots: &[EdgeSlot]) -> Result<Vec<Trampoline>, SkipReason> {
    let mut trampolines: Vec<Trampoline> = Vec::new();
    for (position, slot) in slots.iter().enumerate() {
        let length = edit
            .insertions
            .get(slot.insertion)
            .map_or(0, |insertion| insertion.code.len());
        let length = u32::try_from(length).map_err(|_| SkipReason::BadCode)?;
        match trampolines.last_mut() {
            Some(last) if (last.from, last.to) == (slot.from, slot.to) => {
                last.slots.end = position + 1;
                last.inserted = last
                    .inserted
                    .checked_add(length)
                    .ok_or(SkipReason::TooLarge(u32::MAX))?;
            }
            _ => trampolines.push(Trampoline {
                from: slot.from,
                to: slot.to,
                slots: position..position + 1,
                inserted: length,
                island: None,
                wide: false,
                at: 0,
            }),
        }
    }
    Ok(trampolines)
}

/// The stubs of all added handlers that protect something.
fn stubs(edit: &CodeEdit, units: &Units<'_>) -> Result<Vec<Stub>, SkipReason> {
    let mut stubs = Vec::new();
    for (position, handler) in edit
        .handlers
        .iter()
        .enumerate()
        .filter(|(_, handler)| !handler.protects.is_empty())
    {
        check_code(&handler.code)?;
        let exit = match handler.then {
            HandlerExit::Rethrow => Exit::Rethrow,
            HandlerExit::ContinueAt(at) => Exit::Continue {
                handler: units.find(at).ok_or(SkipReason::BadPlace(at))?,
                wide: false,
            },
        };
        let inserted = u32::try_from(handler.code.len()).map_err(|_| SkipReason::BadCode)?;
        stubs.push(Stub {
            handler: position,
            exit,
            inserted,
            at: 0,
        });
    }
    Ok(stubs)
}
