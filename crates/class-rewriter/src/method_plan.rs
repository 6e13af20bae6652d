//! One method's plan: the edit of its code, and what that adds to the dictionary.
//!
//! ```text
//! allocations ─┬─ measured where they are (lengths, boxes, objects of unknown class, tracked methods) ─┐
//!              └─ counted: one counter per site, or one per path ───────────────────────────────────────┼─ CodeEdit
//! calls of tracked methods: the call site is noted before, cleared after ─────────────────────────────┘
//! ```

use crate::allocation_site::Allocation;
use crate::method_counting::MethodCounting;
use crate::method_view::MethodView;
use crate::planned::{
    CallTarget, Numbers, PlannedCall, PlannedCallSite, PlannedCause, PlannedCounter, PlannedField,
    PlannedMethod, PlannedSite, Role, SiteKey, SizeRule, Term,
};
use crate::profile::{OwedByFrames, ProfilePoints};
use crate::refusal::Reason;
use ducktrack_classfile::{CodeOffset, LineNumbers};
use ducktrack_code_edit::{CodeEdit, Place, Probe, Probes};
use ducktrack_probe_vocabulary::Unit;

/// The result: what to change, and what it means.
#[derive(Debug, Default)]
pub(crate) struct MethodPlan {
    pub(crate) edit: CodeEdit,
    /// Stamps of what the method uses, and records of what it does.
    pub(crate) stamps: StampPart,
    /// With these the method would be too large, so they were left out.
    pub(crate) is_too_large_for_stamps: bool,
    pub(crate) sites: Vec<PlannedSite>,
    /// Levels that counters of sites or paths will count.
    pub(crate) counted: Vec<CountedLevel>,
    pub(crate) counters: Vec<PlannedCounter>,
    pub(crate) call_sites: Vec<PlannedCallSite>,
    /// Calls whose executions are counted.
    pub(crate) counted_calls: Vec<PlannedCall>,
    pub(crate) causes: Vec<PlannedCause>,
    /// Hidden classes are rewritten in it from now on.
    pub(crate) is_hidden_class_gate: bool,
    /// The debts of frames, by places of the original code.
    pub(crate) owed_from: Vec<OwedFrom>,
    /// The same in the new code.
    pub(crate) owed: Option<OwedByFrames>,
    /// Set when the method can be re-instrumented for its measured paths.
    pub(crate) profile: Option<ProfilePoints>,
    /// Which counters stand where.
    pub(crate) counting: MethodCounting,
}

/// The part of a plan that is left out where it makes the method too large. Its probes stand after those of the rest at the same place.
#[derive(Debug, Default)]
pub(crate) struct StampPart {
    pub(crate) edit: CodeEdit,
    /// Static fields that records name.
    pub(crate) static_fields: Vec<PlannedField>,
    /// The method, if its calls are recorded.
    pub(crate) called: Option<PlannedMethod>,
}

/// From a place of the original code on, in its order: the counter that says what a frame there owes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OwedFrom {
    pub(crate) offset: CodeOffset,
    /// Bytes after the start of the instruction.
    pub(crate) bytes_after: u32,
    pub(crate) counter: Option<u32>,
}

/// Collects a plan from the planners.
pub(crate) struct PlanBuilder<'a, 'c, 'n> {
    pub(crate) view: &'a MethodView<'a, 'c>,
    pub(crate) probes: &'n mut Probes,
    pub(crate) numbers: &'n mut dyn Numbers,
    lines: LineNumbers<'a>,
    pub(crate) plan: MethodPlan,
}

/// A level of an allocation that path or site counters count: its site and how many objects an execution makes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CountedLevel {
    pub(crate) offset: CodeOffset,
    /// The number of the site, or of the counted call.
    pub(crate) site: u32,
    pub(crate) objects: u32,
    pub(crate) unit: Unit,
}

impl<'a, 'c, 'n> PlanBuilder<'a, 'c, 'n> {
    pub(crate) fn new(
        view: &'a MethodView<'a, 'c>,
        probes: &'n mut Probes,
        numbers: &'n mut dyn Numbers,
    ) -> Self {
        Self {
            lines: view.code.line_numbers(),
            probes,
            numbers,
            view,
            plan: MethodPlan::default(),
        }
    }

    /// Adds a site to the dictionary.
    pub(crate) fn add_site(
        &mut self,
        allocation: &Allocation,
        level: usize,
        size: SizeRule,
    ) -> Result<u32, Reason> {
        let key = SiteKey {
            method: self.view.index,
            offset: allocation.offset,
            level: u8::try_from(level).map_err(|_| Reason::TooManyDimensions)?,
        };
        let id = self.numbers.site(key).ok_or(Reason::SitesExhausted)?;
        self.plan.sites.push(PlannedSite {
            id,
            key,
            line: self.lines.line_at(allocation.offset),
            kind: allocation.kind,
            ty: allocation.types.get(level).cloned().flatten(),
            size,
            facts: allocation.facts.clone(),
        });
        Ok(id)
    }

    /// The source line of a place.
    pub(crate) fn line_at(&self, offset: CodeOffset) -> Option<u16> {
        self.lines.line_at(offset)
    }

    /// Gives consecutive numbers to the sites of an allocation's levels; the first of them.
    pub(crate) fn number_levels(
        &mut self,
        allocation: &Allocation,
        levels: u8,
    ) -> Result<u32, Reason> {
        let key = SiteKey {
            method: self.view.index,
            offset: allocation.offset,
            level: 0,
        };
        self.numbers
            .levels(key, levels)
            .ok_or(Reason::SitesExhausted)
    }

    /// Adds counters with consecutive numbers, one per element of `meanings`; gives the first number.
    pub(crate) fn add_counters(
        &mut self,
        role: Role,
        meanings: Vec<Vec<Term>>,
    ) -> Result<u32, Reason> {
        let count = u32::try_from(meanings.len()).map_err(|_| Reason::CountersExhausted)?;
        let first = self
            .numbers
            .counters(count)
            .ok_or(Reason::CountersExhausted)?;
        for (id, terms) in (first..).zip(meanings) {
            self.plan.counters.push(PlannedCounter {
                id,
                method: self.view.index,
                role,
                terms,
            });
        }
        Ok(first)
    }

    /// Adds one amount per unit of a site, with consecutive numbers; gives the first number.
    pub(crate) fn add_amounts(&mut self, site: u32, units: &[Unit]) -> Result<u32, Reason> {
        let meanings = units.iter().map(|unit| vec![Term::one(site, *unit)]);
        self.add_counters(Role::Amount, meanings.collect())
    }

    pub(crate) fn insert(&mut self, place: Place, probe: Probe) -> usize {
        self.plan.edit.insertions.push(probe.at(place));
        self.plan.edit.insertions.len() - 1
    }

    pub(crate) fn add_call_site(
        &mut self,
        offset: CodeOffset,
        target: CallTarget,
    ) -> Result<u32, Reason> {
        let key = SiteKey {
            method: self.view.index,
            offset,
            level: 0,
        };
        if let Some(known) = self.plan.call_sites.iter().find(|site| site.key == key) {
            return Ok(known.id);
        }
        let id = self.numbers.call_site(key).ok_or(Reason::SitesExhausted)?;
        self.plan.call_sites.push(PlannedCallSite {
            id,
            key,
            line: self.lines.line_at(offset),
            target,
        });
        Ok(id)
    }
}
