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

use crate::method_plan::PlanBuilder;
use crate::probe::CLAIM;
use crate::refusal::Reason;

/// The claim.
pub(crate) fn stack_claim(probes: &mut Probes) -> Result<Insertion, Reason> {
    let probe = probes.build().push(0).invoke(CLAIM).finish()?;
    Ok(probe.at(Place::Entry))
}

impl PlanBuilder<'_, '_, '_> {
    /// Adds the claim, which must stand ahead of every other probe.
    pub(crate) fn claim_stack(&mut self) -> Result<(), Reason> {
        let claim = stack_claim(self.probes)?;
        self.plan.edit.insertions.push(claim);
        Ok(())
    }

    /// The same, if the method allocates.
    pub(crate) fn claim_stack_for_allocations(&mut self) -> Result<(), Reason> {
        match self.view.allocations.is_empty() {
            true => Ok(()),
            false => self.claim_stack(),
        }
    }
}
