//! The ranges of the new code that an added handler protects, and whether it may protect
//! them.
//!
//! A stub that continues at an original handler has a copy of that handler's frame, which
//! fits wherever the original code was protected by the same handler. For inserted code
//! the verifier's state is that of an adjacent instruction:
//!
//! | inserted | fits if |
//! |---|---|
//! | before `x` | `x` was protected |
//! | between `x` and `y` | `y` was, or `x` was and stores no local variable |
//! | on an edge to `y`, in a trampoline | `y` was: the trampoline has a copy of its frame |
//!
//! A stub that rethrows assumes nothing about local variables. It fits everywhere except
//! in the head of a constructor ([`ConstructorHead`]): while `this` is uninitialized, each
//! frame must declare it so. (HotSpot does not allow any handler to cover the call that
//! initializes it.)

use std::ops::Range;

use ducktrack_classfile::{CodeOffset, ExceptionEntry};

use crate::code_edit::{AddedHandler, Catch, CodeEdit, HandlerExit, Place, ProtectedPlace};
use crate::emission::Emitted;
use crate::inserted_code::stores;
use crate::layout::Layout;
use crate::operand_flow::ConstructorHead;
use crate::skip_reason::SkipReason;
use crate::unit::{Unit, UnitId};

/// The ranges that `handler` protects, in ascending order, with adjacent ones joined.
pub(crate) fn ranges(
    layout: &Layout<'_>,
    edit: &CodeEdit,
    emitted: &Emitted,
    handler: &AddedHandler,
) -> Result<Vec<Range<u32>>, SkipReason> {
    let fits = Fits::new(layout, handler)?;
    let mut ranges = Vec::with_capacity(handler.protects.len());
    for protected in &handler.protects {
        let range = match protected {
            ProtectedPlace::Instruction(at) => {
                let unit = layout.units.find(*at).and_then(|id| layout.units.get(id));
                let unit = unit.ok_or(SkipReason::BadPlace(*at))?;
                fits.check(*at)?;
                unit.insn..unit.end()
            }
            ProtectedPlace::Insertion(insertion) => {
                let inserted = edit
                    .insertions
                    .get(*insertion)
                    .ok_or(SkipReason::BadHandler)?;
                fits.check_insertion(layout, inserted.place)?;
                emitted
                    .insertions
                    .get(*insertion)
                    .cloned()
                    .unwrap_or_default()
            }
        };
        if !range.is_empty() {
            ranges.push(range);
        }
    }
    Ok(join(ranges))
}

/// Sorts ranges and joins those that touch.
fn join(mut ranges: Vec<Range<u32>>) -> Vec<Range<u32>> {
    ranges.sort_unstable_by_key(|range| range.start);
    ranges.dedup_by(|next, kept| {
        let touches = next.start <= kept.end;
        if touches {
            kept.end = kept.end.max(next.end);
        }
        touches
    });
    ranges
}

/// The places where the stub of an added handler fits.
enum Fits<'l> {
    /// The stub continues at an original handler: it fits where one of these rows
    /// protects.
    SameHandler(Vec<ExceptionEntry>),
    /// The stub rethrows: it fits where `this` is initialized.
    Outside(&'l ConstructorHead),
}

impl<'l> Fits<'l> {
    fn new(layout: &'l Layout<'_>, handler: &AddedHandler) -> Result<Self, SkipReason> {
        let HandlerExit::ContinueAt(at) = handler.then else {
            return Ok(Self::Outside(&layout.head));
        };
        let catch_type = match handler.catch {
            Catch::Any => None,
            Catch::SameAs(row) => {
                layout
                    .exceptions
                    .get(row)
                    .ok_or(SkipReason::BadHandler)?
                    .catch_type
            }
        };
        let same = |row: &ExceptionEntry| row.handler == at && row.catch_type == catch_type;
        Ok(Self::SameHandler(
            layout.exceptions.iter().filter(same).collect(),
        ))
    }

    /// Checks that the stub fits at the original instruction `at`.
    fn check(&self, at: CodeOffset) -> Result<(), SkipReason> {
        match self {
            Self::SameHandler(rows) if !rows.iter().any(|row| row.protects(at)) => {
                Err(SkipReason::BadHandler)
            }
            Self::Outside(head) if head.contains(at) => Err(SkipReason::UnknownThis(at)),
            _ => Ok(()),
        }
    }

    /// Checks that the stub fits between `x` and `y`.
    fn check_between(&self, layout: &Layout<'_>, y: UnitId) -> Result<(), SkipReason> {
        let offset = |unit: &Unit<'_>| unit.instruction.offset;
        let at_y = layout
            .units
            .get(y)
            .map_or(Ok(()), |y| self.check(offset(y)));
        let x = layout
            .units
            .previous(y)
            .filter(|x| !stores(x.instruction.opcode));
        match (self, x) {
            (Self::SameHandler(_), Some(x)) => at_y.or_else(|_| self.check(offset(x))),
            _ => at_y,
        }
    }

    fn check_insertion(&self, layout: &Layout<'_>, place: Place) -> Result<(), SkipReason> {
        let unit = |at: CodeOffset| layout.units.find(at).ok_or(SkipReason::BadPlace(at));
        match place {
            // The state on entry is that of offset 0 unless a branch leads back there.
            Place::Entry => self.check(CodeOffset(0)),
            Place::Before(x) => self.check(x),
            Place::FallThroughInto(y) => self.check_between(layout, unit(y)?),
            Place::After(x) => self.check_between(layout, unit(x)?.next()),
            Place::OnBranch { from, to } => {
                let in_line = layout
                    .units
                    .get(unit(from)?)
                    .is_some_and(Unit::always_branches);
                self.check(if in_line { from } else { to })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::join;

    #[test]
    fn touching_ranges_are_joined() {
        assert_eq!(join(vec![7..9, 0..3, 3..5, 10..11]), [0..5, 7..9, 10..11]);
    }
}
