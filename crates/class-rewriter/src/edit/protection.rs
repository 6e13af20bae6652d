//! What an added handler protects, as ranges of the new code, and whether it may.
//!
//! A stub that goes on to an original handler has a copy of that handler's
//! frame, which fits wherever the original code was protected by the same
//! handler. For inserted code the verifier's state is that of an instruction
//! beside it:
//!
//! | inserted | fits if |
//! |---|---|
//! | before `x` | `x` was protected |
//! | between `x` and `y` | `y` was, or `x` was and stores no local variable |
//! | on an edge to `y`, in a trampoline | `y` was: the trampoline has a copy of its frame |

use std::ops::Range;

use ducktrack_classfile::{CodeOffset, ExceptionEntry};

use super::code_edit::{AddedHandler, Catch, CodeEdit, Place, Protected, Then};
use super::emission::Emitted;
use super::layout::Layout;
use super::skip_reason::SkipReason;
use super::slots::stores;

/// The ranges that `handler` protects, in ascending order, side by side ones joined.
pub(super) fn ranges(
    layout: &Layout<'_>,
    edit: &CodeEdit,
    emitted: &Emitted,
    handler: &AddedHandler,
) -> Result<Vec<Range<u32>>, SkipReason> {
    let fits = Fits::new(layout, handler)?;
    let mut ranges = Vec::with_capacity(handler.protects.len());
    for protected in &handler.protects {
        let range = match protected {
            Protected::Instruction(at) => {
                let unit = layout.units.find(*at).and_then(|id| layout.units.get(id));
                let unit = unit.ok_or(SkipReason::BadPlace(*at))?;
                fits.check(|row| row.protects(*at))?;
                unit.insn..unit.end()
            }
            Protected::Insertion(insertion) => {
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

/// The original rows that lead to where an added handler goes on; `None` if it throws again.
struct Fits {
    rows: Option<Vec<ExceptionEntry>>,
}

impl Fits {
    fn new(layout: &Layout<'_>, handler: &AddedHandler) -> Result<Self, SkipReason> {
        let Then::ContinueAt(at) = handler.then else {
            return Ok(Self { rows: None });
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
        Ok(Self {
            rows: Some(layout.exceptions.iter().filter(same).collect()),
        })
    }

    fn check(&self, protects: impl Fn(&ExceptionEntry) -> bool) -> Result<(), SkipReason> {
        match &self.rows {
            Some(rows) if !rows.iter().any(protects) => Err(SkipReason::BadHandler),
            _ => Ok(()),
        }
    }

    fn check_insertion(&self, layout: &Layout<'_>, place: Place) -> Result<(), SkipReason> {
        let unit = |at: CodeOffset| layout.units.find(at).ok_or(SkipReason::BadPlace(at));
        let between = |y: CodeOffset| {
            let x = layout.units.previous(unit(y)?).map(|unit| unit.instruction);
            let x = x.filter(|x| !stores(x.opcode)).map(|x| x.offset);
            self.check(|row| row.protects(y) || x.is_some_and(|x| row.protects(x)))
        };
        match place {
            // The state on entry is that of offset 0 unless a branch leads back there.
            Place::Entry => self.check(|row| row.protects(CodeOffset(0))),
            Place::Before(x) => self.check(|row| row.protects(x)),
            Place::FallThroughInto(y) => between(y),
            Place::After(x) => match layout.units.get(unit(x)?.next()) {
                Some(y) => between(y.instruction.offset),
                None => Ok(()),
            },
            Place::OnBranch { from, to } => {
                let in_line = layout
                    .units
                    .get(unit(from)?)
                    .is_some_and(|unit| unit.always_branches());
                self.check(|row| row.protects(if in_line { from } else { to }))
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
