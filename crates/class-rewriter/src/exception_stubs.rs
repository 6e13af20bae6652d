//! The debts when an exception leaves a path in the middle, and the stubs that settle them.
//!
//! At an instruction that can throw, *d* is what was executed but not counted (less than zero in places: what was counted but
//! will not be executed). If a handler of the method catches, the handler's block starts with its own *d(h)*, and a stub before it
//! counts `d - d(h)`; if it is not caught, a stub counts `d` and throws on. Where the difference is zero there is no stub: the normal
//! path pays nothing in any case.
//!
//! ```text
//!   new A           d = 0     if this throws, nothing is owed
//!   new B           d = +A    ┐ range of a stub: count +A, rethrow
//!   c(A + B)                  ┘
//! ```

use core::ops::Range;

use ducktrack_classfile::{CodeOffset, Opcode};
use ducktrack_code_edit::{Catch, HandlerExit, Place, ProtectedPlace, Rank};
use ducktrack_path_counters::SiteVector;
use rustc_hash::FxHashMap;

use crate::method_counting::Stub;
use crate::part::{OwedFrom, PartBuilder};
use crate::path_plan::{BlockCounter, PathPlan, Realisation};
use crate::planned::Role;
use crate::refusal::Reason;
use crate::site_plan::increment;

/// Where an exception goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Escape {
    /// To the handler of this entry of the exception table.
    Caught(usize),
    /// Out of the method.
    Uncaught,
}

/// Debts by the exception's destination and the amount owed, in order of first appearance.
#[derive(Debug, Default)]
pub(crate) struct Debts {
    list: Vec<(Escape, SiteVector, Vec<ProtectedPlace>)>,
    index: FxHashMap<(Escape, SiteVector), usize>,
}

impl Debts {
    /// The number of stubs.
    pub(crate) fn len(&self) -> usize {
        self.list.len()
    }

    fn add(&mut self, escape: Escape, vector: SiteVector, unit: ProtectedPlace) {
        let next = self.list.len();
        let position = *self.index.entry((escape, vector.clone())).or_insert(next);
        if position == next {
            self.list.push((escape, vector, Vec::new()));
        }
        if let Some((_, _, protects)) = self.list.get_mut(position) {
            protects.push(unit);
        }
    }
}

/// Insertions by the instruction they stand at.
#[derive(Debug, Default)]
struct InsertionsAt {
    before: FxHashMap<CodeOffset, Vec<usize>>,
    after: FxHashMap<CodeOffset, Vec<usize>>,
}

impl PathPlan<'_, '_> {
    /// Chooses the place of every block's counter, so that as few instructions as possible can throw while something is owed.
    pub(crate) fn choose_slots(&self, realisation: &mut Realisation) -> Option<()> {
        for block in 0..realisation.in_blocks.len() {
            let Some(Some(counter)) = realisation.in_blocks.get(block) else {
                continue;
            };
            let mut best: Option<(usize, usize)> = None;
            for slot in self.candidate_slots(block)? {
                let candidate = BlockCounter {
                    slot,
                    ..counter.clone()
                };
                let mut debts = 0usize;
                self.walk(realisation, block, Some(&candidate), |position, owed| {
                    debts += self.escapes(position, owed).len();
                });
                if best.is_none_or(|(fewest, _)| debts < fewest) {
                    best = Some((debts, slot));
                }
            }
            let (_, slot) = best?;
            if let Some(Some(counter)) = realisation.in_blocks.get_mut(block) {
                counter.slot = slot;
            }
        }
        Some(())
    }

    /// The start of the block, the places after its allocations, and its end.
    fn candidate_slots(&self, block: usize) -> Option<Vec<usize>> {
        let range = self.graph.blocks().get(block)?.instruction_range();
        let last = range.end.checked_sub(1)?;
        let falls_through = self
            .graph
            .instructions()
            .get(last)
            .is_some_and(|instruction| {
                !instruction.is_unconditional_end() && !instruction.opcode.is_conditional_branch()
            });
        let end = if falls_through { range.end } else { last };
        let start = range.start.max(if block == 0 { self.head } else { 0 });
        if start > end {
            return None;
        }
        let mut slots = vec![start];
        slots.extend(
            range
                .filter(|position| self.unit(*position).is_some())
                .map(|position| position + 1),
        );
        slots.push(end);
        slots.retain(|slot| (start..=end).contains(slot));
        slots.dedup();
        Some(slots)
    }

    /// The place of a slot: before the first instruction of a block, or after the instruction before the slot.
    pub(crate) fn slot_place(&self, block: usize, slot: usize) -> Option<Place> {
        let range = self.graph.blocks().get(block)?.instruction_range();
        if slot == range.start {
            self.offset(slot).map(Place::Before)
        } else {
            self.offset(slot.checked_sub(1)?).map(Place::After)
        }
    }

    /// Positions of a block's instructions, and the debt at its start.
    fn start(&self, realisation: &Realisation, block: usize) -> (Range<usize>, SiteVector) {
        let range = self.graph.blocks().get(block);
        let range = range.map_or(0..0, |block| block.instruction_range());
        let owed = realisation.owed.get(block).cloned().unwrap_or_default();
        (range, owed)
    }

    fn offset(&self, position: usize) -> Option<CodeOffset> {
        let instruction = self.graph.instructions().get(position)?;
        Some(instruction.offset)
    }

    fn unit(&self, position: usize) -> Option<ducktrack_path_counters::SiteId> {
        self.unit_at
            .get(position)
            .copied()
            .flatten()
            .map(ducktrack_path_counters::SiteId::new)
    }

    /// Visits the instructions of a block that can throw, with the debt if they do.
    fn walk(
        &self,
        realisation: &Realisation,
        block: usize,
        counter: Option<&BlockCounter>,
        mut visit: impl FnMut(usize, &SiteVector),
    ) {
        let (range, mut owed) = self.start(realisation, block);
        for position in range {
            if let Some(counter) = counter.filter(|counter| counter.slot == position) {
                owed = owed.minus(&counter.vector);
            }
            if self.can_throw(position) {
                visit(position, &owed);
            }
            if let Some(unit) = self.unit(position) {
                owed.add_site(unit);
            }
        }
    }

    /// The places where the debt changes: at an instruction, or after one that allocates.
    fn owed_from(&self, realisation: &Realisation) -> Vec<(CodeOffset, u32, SiteVector)> {
        let mut places: Vec<(CodeOffset, u32, SiteVector)> = Vec::new();
        let mut add = |offset, bytes_after, vector: &SiteVector| {
            if places.last().is_none_or(|(.., before)| before != vector) {
                places.push((offset, bytes_after, vector.clone()));
            }
        };
        for (block, counter) in realisation.in_blocks.iter().enumerate() {
            let (range, mut owed) = self.start(realisation, block);
            for position in range {
                let Some(instruction) = self.graph.instructions().get(position) else {
                    continue;
                };
                if let Some(counter) = counter.as_ref().filter(|counter| counter.slot == position) {
                    owed = owed.minus(&counter.vector);
                }
                add(instruction.offset, 0, &owed);
                if let Some(unit) = self.unit(position) {
                    owed.add_site(unit);
                    add(instruction.offset, instruction.length(), &owed);
                }
            }
        }
        if let Some(last) = self.graph.instructions().last() {
            // Stubs and the code on branches follow.
            add(last.offset, last.length(), &SiteVector::zero());
        }
        places
    }

    fn can_throw(&self, position: usize) -> bool {
        self.throwing.get(position).copied().unwrap_or(true)
    }

    /// Whether an instruction writes a local variable: a probe after it may be out of reach of the handlers that protect it.
    fn stores(&self, position: usize) -> bool {
        let opcode = self
            .graph
            .instructions()
            .get(position)
            .map(|instruction| instruction.opcode);
        matches!(opcode, Some(Opcode(54..=78) | Opcode::IINC))
    }

    /// The destinations of an exception at an instruction with a debt, and the amounts.
    fn escapes(&self, position: usize, owed: &SiteVector) -> Vec<(Escape, SiteVector)> {
        let mut escapes = Vec::new();
        let Some(offset) = self.offset(position) else {
            return escapes;
        };
        for (number, entry) in self.handlers.iter().enumerate() {
            if !entry.protects(offset) {
                continue;
            }
            let at_handler = self
                .graph
                .block_at(entry.handler)
                .map(|block| self.placement.potential(block));
            let debt = at_handler.map_or_else(|| owed.clone(), |at_handler| owed.minus(at_handler));
            if !debt.is_zero() {
                escapes.push((Escape::Caught(number), debt));
            }
            if entry.catch_type.is_none() {
                return escapes;
            }
        }
        if !owed.is_zero() {
            escapes.push((Escape::Uncaught, owed.clone()));
        }
        escapes
    }

    /// All debts at instructions; `None` if something is owed in a constructor's head, where no handler may be added.
    pub(crate) fn debts(&self, realisation: &Realisation) -> Option<Debts> {
        let mut debts = Debts::default();
        let mut in_head = false;
        for (block, counter) in realisation.in_blocks.iter().enumerate() {
            self.walk(realisation, block, counter.as_ref(), |position, owed| {
                for (escape, vector) in self.escapes(position, owed) {
                    in_head |= position < self.head;
                    if let Some(offset) = self.offset(position) {
                        debts.add(escape, vector, ProtectedPlace::Instruction(offset));
                    }
                }
            });
        }
        (!in_head).then_some(debts)
    }

    /// Adds the debts at probes: the stack may end while one is called.
    fn add_probe_debts(
        &self,
        realisation: &Realisation,
        insertions: &InsertionsAt,
        debts: &mut Debts,
    ) {
        for (block, counter) in realisation.in_blocks.iter().enumerate() {
            let (range, mut owed) = self.start(realisation, block);
            for position in range {
                let Some(offset) = self.offset(position) else {
                    continue;
                };
                self.probes(
                    insertions.before.get(&offset),
                    position,
                    counter.as_ref(),
                    &mut owed,
                    debts,
                );
                if let Some(unit) = self.unit(position) {
                    owed.add_site(unit);
                }
                self.probes(
                    insertions.after.get(&offset),
                    position,
                    counter.as_ref(),
                    &mut owed,
                    debts,
                );
            }
        }
    }

    fn probes(
        &self,
        insertions: Option<&Vec<usize>>,
        position: usize,
        counter: Option<&BlockCounter>,
        owed: &mut SiteVector,
        debts: &mut Debts,
    ) {
        for insertion in insertions.into_iter().flatten() {
            if position >= self.head {
                for (escape, vector) in self.escapes(position, owed) {
                    if escape == Escape::Uncaught || !self.stores(position) {
                        debts.add(escape, vector, ProtectedPlace::Insertion(*insertion));
                    }
                }
            }
            if let Some(counter) = counter.filter(|counter| counter.insertion == Some(*insertion)) {
                *owed = owed.minus(&counter.vector);
            }
        }
    }
}

/// Adds a stub for every debt; debts of the same vector share a counter.
pub(crate) fn add_stubs(
    builder: &mut PartBuilder<'_>,
    plan: &PathPlan<'_, '_>,
    realisation: &Realisation,
    mut debts: Debts,
) -> Result<(), Reason> {
    plan.add_probe_debts(realisation, &insertions_at(builder), &mut debts);
    let mut counters: FxHashMap<SiteVector, u32> = FxHashMap::default();
    for (escape, vector, protects) in debts.list {
        let id = match counters.get(&vector) {
            Some(id) => *id,
            None => {
                let id = builder.add_counters(Role::Increment, vec![plan.terms(&vector)])?;
                counters.insert(vector, id);
                id
            }
        };
        let probe = increment(builder, id)?;
        let (catch, then, rank) = match escape {
            Escape::Uncaught => (Catch::Any, HandlerExit::Rethrow, Rank::Last),
            Escape::Caught(entry) => {
                let handler = plan.handlers.get(entry).ok_or(Reason::ControlFlow)?.handler;
                (
                    Catch::SameAs(entry),
                    HandlerExit::ContinueAt(handler),
                    Rank::BeforeOriginal(entry),
                )
            }
        };
        builder.counting().stubs.push(Stub {
            counter: id,
            handler: match then {
                HandlerExit::ContinueAt(handler) => Some(handler),
                HandlerExit::Rethrow => None,
            },
            protects: protects.len(),
        });
        builder.add_handler((protects, catch), probe, (then, rank));
    }
    note_owed_by_frames(builder, plan, realisation, counters)
}

/// Records the debt of a frame at each instruction, because the run may end before the frame continues.
fn note_owed_by_frames(
    builder: &mut PartBuilder<'_>,
    plan: &PathPlan<'_, '_>,
    realisation: &Realisation,
    mut counters: FxHashMap<SiteVector, u32>,
) -> Result<(), Reason> {
    for (offset, bytes_after, vector) in plan.owed_from(realisation) {
        let counter = match counters.get(&vector) {
            _ if vector.is_zero() => None,
            Some(id) => Some(*id),
            None => {
                let id = builder.add_counters(Role::Increment, vec![plan.terms(&vector)])?;
                counters.insert(vector, id);
                Some(id)
            }
        };
        builder.part.owed_from.push(OwedFrom {
            offset,
            bytes_after,
            counter,
        });
    }
    Ok(())
}

fn insertions_at(builder: &PartBuilder<'_>) -> InsertionsAt {
    let mut at = InsertionsAt::default();
    for (index, insertion) in builder.insertions().enumerate() {
        match insertion.place {
            Place::Before(offset) => at.before.entry(offset).or_default().push(index),
            Place::After(offset) => at.after.entry(offset).or_default().push(index),
            _ => {}
        }
    }
    at
}
