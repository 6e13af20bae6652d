//! The common part of every kind of probe: which instructions it is interested in, and its part of a method's plan.
//!
//! ```text
//! a quick look at a method: is any planner interested?  ──no──> the method stays as it is
//!                          │ yes
//!                          └─> each planner in order ─ plan ─> Part ─ add ─> one MethodPlan
//! ```

use ducktrack_classfile::Instruction;

use crate::part::{Part, PartBuilder};
use crate::refusal::Reason;

/// Plans one kind of probe for the methods of a class.
pub(crate) trait Planner {
    /// Whether methods need these probes whatever is in their code.
    fn is_interested_in_method(&self, is_static: bool) -> bool {
        let _ = is_static;
        false
    }

    /// A quick look: whether an instruction may need one of these probes. A planner that adds to what an earlier one found has no interest
    /// of its own.
    fn is_interested_in(&self, instruction: &Instruction<'_>) -> bool {
        let _ = instruction;
        false
    }

    /// Whether its part is left out where it makes a method too large. Such a planner is the last.
    fn may_be_left_out(&self) -> bool {
        false
    }

    /// Its part of the plan of a method.
    ///
    /// # Errors
    /// The reason why the method must be left as it is.
    fn plan(&self, builder: PartBuilder<'_>) -> Result<Part, Reason>;
}

/// Whether a method may need a probe of any planner.
pub(crate) fn may_need_probes(
    planners: &[Box<dyn Planner + '_>],
    is_static: bool,
    instructions: &[Instruction<'_>],
) -> bool {
    planners
        .iter()
        .any(|planner| planner.is_interested_in_method(is_static))
        || instructions.iter().any(|instruction| {
            let mut planners = planners.iter();
            planners.any(|planner| planner.is_interested_in(instruction))
        })
}
