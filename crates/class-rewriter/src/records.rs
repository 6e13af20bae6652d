//! Probes that record updates of references and calls of methods (`DuckTrackRecords` in `agent/helper`).
//!
//! | where | what | probe |
//! |---|---|---|
//! | `putfield` of a reference | the field gets a target | `dup2; number; field` |
//! | the same before `this` is an object | the same, once it is one | after the call of the other constructor: `aload_0; number; initial` |
//! | `putstatic` of a reference | the same | `dup; getstatic; number; fieldOfClass` |
//! | `aastore` | the same | `dup_x2; pop; dup2_x1; element`, which gives the value back |
//! | `System.arraycopy`, `Array.set`, `Unsafe.put...` and `compareAnd...` of references | the same | the helper's method is called instead |
//! | a call that makes a copy (`clone`, `Arrays.copyOf`) | the copy has its first targets | after it: `dup; made` |
//! | entry | the method is entered | `aload_0; number; enter`, which stamps the receiver as well; in constructors and static methods `number; enter` |
//! | a return | it returns | `number; exit` |
//! | an exception that leaves | it ends by it | a handler after all others: `dup; number; thrown`, and throws on |
//!
//! Bodies that the JIT replaces by code of its own have no probes ([`body_is_counted_by_callers`](crate::call_rules)).

mod calls;
mod updates;

use ducktrack_code_edit::{AddedHandler, Insertion, Probes, Replacement};

use crate::method_view::MethodView;
use crate::planned::{Numbers, PlannedField, PlannedMethod};
use crate::refusal::Reason;
use crate::stamps::Calls;

/// The instructions to change, and the meaning of their numbers.
#[derive(Debug, Default)]
pub(crate) struct RecordPlan {
    pub(crate) insertions: Vec<Insertion>,
    pub(crate) replacements: Vec<Replacement>,
    pub(crate) fields: Vec<PlannedField>,
    /// The method itself, if its calls are recorded.
    pub(crate) method: Option<PlannedMethod>,
}

/// The plan of one method.
pub(crate) fn record_plan(
    view: &MethodView<'_>,
    calls: Calls,
    probes: &mut Probes,
    numbers: &mut dyn Numbers,
) -> Result<RecordPlan, Reason> {
    let mut plan = RecordPlan::default();
    if view.counted_by_callers {
        return Ok(plan);
    }
    updates::plan(view, probes, numbers, &mut plan)?;
    calls::plan(view, calls, probes, numbers, &mut plan)?;
    Ok(plan)
}

/// The handler for exceptions that leave the method, when all other insertions are there.
pub(crate) fn way_out<'a>(
    view: &MethodView<'_>,
    method: PlannedMethod,
    insertions: impl Iterator<Item = &'a Insertion>,
    probes: &mut Probes,
) -> Result<Option<AddedHandler>, Reason> {
    calls::way_out(view, method, insertions, probes)
}
