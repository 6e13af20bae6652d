//! The last planner of a method: stamps of what it uses, and records of its updates and calls.

use ducktrack_classfile::Instruction;
use ducktrack_code_edit::{CodeEdit, Place};

use crate::part::{Part, PartBuilder};
use crate::planner::Planner;
use crate::records::{RecordPlan, record_plan, way_out};
use crate::refusal::Reason;
use crate::stack_claim::stack_claim;
use crate::stamps::Stamps;
use crate::uses::{has_no_probes, use_may_be_in, use_probes};

/// Stamps what methods use.
pub(crate) struct UseStamps(pub(crate) Stamps);

impl Planner for UseStamps {
    fn is_interested_in_method(&self, is_static: bool) -> bool {
        !is_static || self.0.records().is_some()
    }

    fn is_interested_in(&self, instruction: &Instruction<'_>) -> bool {
        use_may_be_in(instruction.opcode)
    }

    fn may_be_left_out(&self) -> bool {
        true
    }

    fn plan(&self, builder: PartBuilder<'_>) -> Result<Part, Reason> {
        let PartBuilder {
            view,
            before,
            probes,
            numbers,
            ..
        } = builder;
        let calls = self
            .0
            .records()
            .filter(|_| !has_no_probes(view.class.name()));
        let records = match calls {
            Some(calls) => record_plan(view, calls, probes, numbers)?,
            None => RecordPlan::default(),
        };
        let is_entry_recorded = records.method.is_some();
        let uses = use_probes(view, self.0, is_entry_recorded, probes, numbers)?;
        let has_claim =
            !view.allocations.is_empty() || uses.iter().any(|probe| probe.place != Place::Entry);
        let mut insertions = uses;
        if !has_claim && !records.insertions.is_empty() {
            insertions.push(stack_claim(probes)?);
        }
        insertions.extend(records.insertions);
        let way_out = match records.method {
            Some(method) => {
                let all = before.edit.insertions.iter().chain(&insertions);
                way_out(view, method, all, probes)?
            }
            None => None,
        };
        Ok(Part {
            edit: CodeEdit {
                insertions,
                handlers: way_out.into_iter().collect(),
                replacements: records.replacements,
            },
            static_fields: records.fields,
            called: records.method,
            ..Part::default()
        })
    }
}
