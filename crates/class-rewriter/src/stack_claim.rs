//! Stack for the probes of a method, claimed when it is entered.
//!
//! A probe is a call, and a call may find that the stack has ended. Then what was executed would not be counted, and the handler
//! that should settle it could not count either: it runs in the same frame. So the first thing in every method with allocations
//! is a call that needs more stack than any probe. If the stack ends there, nothing was executed and nothing is owed.
//!
//! ```text
//!   03            iconst_0
//!   b8 00 57      invokestatic java/lang/DuckTrackStack.claim(I)V
//! ```
//!
//! Compiled code inlines it, and nothing is left.

use ducktrack_code_edit::{Insertion, Place, Probes};

use crate::part::PartBuilder;
use crate::probe::CLAIM;
use crate::refusal::Reason;

/// The claim.
pub(crate) fn stack_claim(probes: &mut Probes) -> Result<Insertion, Reason> {
    let probe = probes.build().push(0).invoke(CLAIM).finish()?;
    Ok(probe.at(Place::Entry))
}

/// Adds the claim, which must stand ahead of every other probe.
pub(crate) fn claim_stack(builder: &mut PartBuilder<'_>) -> Result<(), Reason> {
    let claim = stack_claim(builder.probes)?;
    builder.part.edit.insertions.push(claim);
    Ok(())
}

/// The same, if the method allocates.
pub(crate) fn claim_stack_for_allocations(builder: &mut PartBuilder<'_>) -> Result<(), Reason> {
    match builder.view.allocations.is_empty() {
        true => Ok(()),
        false => claim_stack(builder),
    }
}
