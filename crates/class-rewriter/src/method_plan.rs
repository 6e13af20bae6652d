//! One method's plan: the parts of all planners, joined.
//!
//! ```text
//! allocations ─┬─ measured where they are (lengths, boxes, objects of unknown class, tracked methods) ─┐
//!              └─ counted: one counter per site, or one per path ───────────────────────────────────────┼─ CodeEdit
//! calls of tracked methods: the call site is noted before, cleared after ─────────────────────────────┘
//! ```

use ducktrack_classfile::PoolAppender;
use ducktrack_code_edit::{CodeEdit, OffsetMap, Probes, SkipReason, edit_instructions};

use crate::method_view::MethodView;
use crate::part::{OwedFrom, Part, PartBuilder};
use crate::planned::Numbers;
use crate::planner::Planner;
use crate::profile::OwedByFrames;
use crate::refusal::Reason;

/// The changes of one method.
#[derive(Default)]
pub(crate) struct MethodPlan {
    part: Part,
    /// Left out where it makes the method too large. Its probes stand after those of the rest at the same place.
    stamps: Part,
}

/// A method with its changes.
pub(crate) struct EditedMethod {
    /// The data of its `Code` attribute.
    pub(crate) attribute: Vec<u8>,
    /// The meaning of the changes.
    pub(crate) part: Part,
    /// The debts of frames, by places of the new code.
    pub(crate) owed: Option<OwedByFrames>,
    /// With stamps the method would be too large, so they were left out.
    pub(crate) is_too_large_for_stamps: bool,
}

impl MethodPlan {
    /// The parts of planners, in their order.
    pub(crate) fn of(
        view: &MethodView<'_>,
        planners: &[Box<dyn Planner + '_>],
        probes: &mut Probes,
        numbers: &mut dyn Numbers,
    ) -> Result<Self, Reason> {
        let mut plan = Self::default();
        for planner in planners {
            let part = planner.plan(PartBuilder::new(view, &plan.part, probes, numbers))?;
            match planner.may_be_left_out() {
                true => plan.stamps.add(part),
                false => plan.part.add(part),
            }
        }
        Ok(plan)
    }

    /// Changes the method, with the stamps if it is small enough. `None`: nothing changes.
    pub(crate) fn apply(
        self,
        view: &MethodView<'_>,
        pool: &mut PoolAppender,
    ) -> Result<Option<EditedMethod>, Reason> {
        let Self { mut part, stamps } = self;
        if part.edit.is_empty() && stamps.edit.is_empty() {
            return Ok(None);
        }
        let edit = |edit: &CodeEdit, pool: &mut PoolAppender| {
            edit_instructions(view.method, view.instructions, edit, pool)
        };
        let has_stamps = !stamps.edit.is_empty();
        let stamped = has_stamps.then(|| edit(&part.edit.with(&stamps.edit), pool));
        let is_too_large_for_stamps = matches!(
            stamped,
            Some(Err(
                SkipReason::TooLarge(_) | SkipReason::TooLargeToCompile(_)
            ))
        );
        let edited = match stamped {
            Some(edited) if !is_too_large_for_stamps => {
                part.add(stamps);
                edited?
            }
            _ => edit(&part.edit, pool)?,
        };
        Ok(Some(EditedMethod {
            owed: owed_in_new_code(view.index, &part.owed_from, &edited.offsets),
            attribute: edited.attribute,
            part,
            is_too_large_for_stamps,
        }))
    }
}

fn owed_in_new_code(method: u16, owed: &[OwedFrom], offsets: &OffsetMap) -> Option<OwedByFrames> {
    if owed.iter().all(|place| place.counter.is_none()) {
        return None;
    }
    let new_place = |place: &OwedFrom| {
        Some((
            offsets.insn(place.offset)?.0 + place.bytes_after,
            place.counter,
        ))
    };
    let mut from: Vec<(u32, Option<u32>)> = owed.iter().filter_map(new_place).collect();
    from.sort_by_key(|(place, _)| *place);
    Some(OwedByFrames { method, from })
}
