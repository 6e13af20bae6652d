//! Widens branches that no longer reach, and pads switches, until nothing changes.
//!
//! Placing everything can push a target out of the reach of a two-byte offset. Then
//! `goto` becomes `goto_w` and `jsr` becomes `jsr_w`; a conditional branch has no wide
//! form and takes a stepping stone. Both make the code longer, and so can padding, so
//! everything is placed again. Widened branches stay wide, so the loop ends.

use ducktrack_classfile::CodeOffset;

use crate::branch_offset::reaches;
use crate::islands;
use crate::layout::Layout;
use crate::skip_reason::SkipReason;
use crate::stub::Exit;
use crate::unit::UnitId;

/// In code of at most this size every branch reaches.
const ALWAYS_REACHED: u32 = 32_767;

/// A method that needs more rounds than this is refused.
const MAX_ROUNDS: u32 = 64;

/// Places everything so that every branch reaches.
pub(crate) fn settle(layout: &mut Layout<'_>) -> Result<(), SkipReason> {
    for _ in 0..MAX_ROUNDS {
        layout.place();
        if layout.end <= ALWAYS_REACHED {
            return Ok(());
        }
        // Widening only adds to this, and the sums above must not wrap.
        if layout.end > 4 * u32::from(u16::MAX) {
            return Err(SkipReason::TooLarge(layout.end));
        }
        let mut changed = widen_trampolines(layout)?;
        changed |= widen_stubs(layout)?;
        changed |= widen_branches(layout)?;
        if !changed {
            return Ok(());
        }
    }
    Err(SkipReason::TooLarge(layout.end))
}

fn widen_trampolines(layout: &mut Layout<'_>) -> Result<bool, SkipReason> {
    let mut changed = false;
    for position in 0..layout.trampolines.len() {
        let Some(trampoline) = layout.trampolines.get(position) else {
            break;
        };
        let far =
            !trampoline.wide && !reaches(trampoline.goto_at(), layout.label_of(trampoline.to)?);
        if let Some(trampoline) = layout.trampolines.get_mut(position).filter(|_| far) {
            trampoline.wide = true;
            changed = true;
        }
    }
    Ok(changed)
}

fn widen_stubs(layout: &mut Layout<'_>) -> Result<bool, SkipReason> {
    let mut changed = false;
    for position in 0..layout.stubs.len() {
        let Some(stub) = layout.stubs.get(position).copied() else {
            break;
        };
        let Exit::Continue {
            handler,
            wide: false,
        } = stub.exit
        else {
            continue;
        };
        if reaches(stub.exit_at(), layout.label_of(handler)?) {
            continue;
        }
        if let Some(stub) = layout.stubs.get_mut(position) {
            stub.exit = Exit::Continue {
                handler,
                wide: true,
            };
            changed = true;
        }
    }
    Ok(changed)
}

fn widen_branches(layout: &mut Layout<'_>) -> Result<bool, SkipReason> {
    let mut changed = false;
    for (id, to) in far_branches(layout)? {
        let Some(unit) = layout.units.get_mut(id) else {
            continue;
        };
        changed = true;
        if unit.instruction.opcode.is_conditional_branch() {
            islands::step(layout, id, to)?;
        } else {
            unit.wide = true;
        }
    }
    Ok(changed)
}

/// Branches whose two-byte offset does not reach.
fn far_branches(layout: &Layout<'_>) -> Result<Vec<(UnitId, CodeOffset)>, SkipReason> {
    let mut far = Vec::new();
    for (id, unit) in (0..).map(UnitId).zip(layout.units.as_slice()) {
        let Some(to) = unit
            .instruction
            .branch_target()
            .filter(|_| unit.has_short_branch())
        else {
            continue;
        };
        if !reaches(unit.insn, layout.destination(id, to)?) {
            far.push((id, to));
        }
    }
    Ok(far)
}
