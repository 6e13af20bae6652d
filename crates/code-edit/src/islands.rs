//! Stepping stones for conditional branches that do not reach their targets.
//!
//! Turning `ifeq far` into `ifne next; goto_w far; next:` would make `next` a
//! target without a frame. So the branch goes to a trampoline within reach, whose frame
//! is a copy of the target's. A trampoline can stand in a gap: after an instruction that
//! never continues with the next one, and not inside of a range of the exception table,
//! whose handler does not expect the target's frame.

use ducktrack_classfile::CodeOffset;

use crate::branch_offset::reaches;
use crate::layout::Layout;
use crate::skip_reason::SkipReason;
use crate::unit::UnitId;

/// Redirects the branch `from`, which cannot reach its target, over a trampoline within
/// its reach.
pub(crate) fn step(
    layout: &mut Layout<'_>,
    from: UnitId,
    to: CodeOffset,
) -> Result<(), SkipReason> {
    let too_far = SkipReason::BranchTooFar(CodeOffset(0));
    let unit = layout.units.get(from).ok_or(too_far)?;
    let (at, old) = (unit.insn, unit.instruction.offset);
    let too_far = SkipReason::BranchTooFar(old);
    let target = layout
        .units
        .find(to)
        .ok_or(SkipReason::NotAnInstruction(to))?;
    let gap = nearest_gap(layout, at);
    let Some(route) = layout.route(from, target) else {
        let tail = reaches(at, layout.main_end);
        let island = gap.map(Some).or(tail.then_some(None)).ok_or(too_far)?;
        layout.add_stepping_stone(from, target, island);
        return Ok(());
    };
    let trampoline = layout.trampolines.get_mut(route.0).ok_or(too_far)?;
    let gap = gap
        .filter(|gap| trampoline.island != Some(*gap))
        .ok_or(too_far)?;
    trampoline.island = Some(gap);
    Ok(())
}

/// The gap nearest to the new offset `at`, if it is within reach.
fn nearest_gap(layout: &Layout<'_>, at: u32) -> Option<UnitId> {
    let units = layout.units.as_slice();
    let gaps = units
        .windows(2)
        .zip((1..).map(UnitId))
        .filter_map(|(pair, id)| match pair {
            [previous, unit] if previous.instruction.is_unconditional_end() => Some((id, unit)),
            _ => None,
        });
    let within = gaps.filter(|(_, unit)| reaches(at, unit.gap));
    let mut within: Vec<_> = within
        .map(|(id, unit)| (unit.gap.abs_diff(at), id, unit.instruction.offset))
        .collect();
    within.sort_unstable();
    let open = |old: CodeOffset| {
        !layout
            .exceptions
            .iter()
            .any(|row| row.start < old && old < row.end)
    };
    within
        .into_iter()
        .find(|(_, _, old)| open(*old))
        .map(|(_, id, _)| id)
}
