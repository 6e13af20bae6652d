//! One planner's part of a method's plan: the edit of its code, and what that adds to the dictionary.
//!
//! A planner sees the parts of those before it and returns its own. Positions of insertions, by which handlers name them, count
//! from the first insertion of the first part.

use ducktrack_classfile::CodeOffset;
use ducktrack_code_edit::{
    AddedHandler, Catch, CodeEdit, HandlerExit, Insertion, Place, Probe, Probes, ProtectedPlace,
    Rank,
};
use ducktrack_probe_vocabulary::Unit;

use crate::allocation_site::Allocation;
use crate::method_counting::MethodCounting;
use crate::method_view::MethodView;
use crate::planned::{
    CallTarget, Numbers, PlannedCall, PlannedCallSite, PlannedCause, PlannedCounter, PlannedField,
    PlannedMethod, PlannedSite, Role, SiteKey, SizeRule, Term,
};
use crate::profile::ProfilePoints;
use crate::refusal::Reason;

/// Changes of a method's code, and what they mean.
#[derive(Debug, Default)]
pub(crate) struct Part {
    pub(crate) edit: CodeEdit,
    /// Runs in the handlers of the parts before that throw on, as the last of their code.
    pub(crate) before_rethrow: Option<Probe>,
    pub(crate) sites: Vec<PlannedSite>,
    /// Levels that counters of sites or paths are to count.
    pub(crate) counted: Vec<CountedLevel>,
    pub(crate) counters: Vec<PlannedCounter>,
    pub(crate) call_sites: Vec<PlannedCallSite>,
    /// Calls whose executions are counted.
    pub(crate) counted_calls: Vec<PlannedCall>,
    pub(crate) causes: Vec<PlannedCause>,
    /// Static fields that records name.
    pub(crate) static_fields: Vec<PlannedField>,
    /// The method, if its calls are recorded.
    pub(crate) called: Option<PlannedMethod>,
    /// Hidden classes are rewritten in it from now on.
    pub(crate) is_hidden_class_gate: bool,
    /// The debts of frames, by places of the original code.
    pub(crate) owed_from: Vec<OwedFrom>,
    /// Set when the method can be re-instrumented for its measured paths.
    pub(crate) profile: Option<ProfilePoints>,
    /// Which counters stand where.
    pub(crate) counting: Option<MethodCounting>,
}

/// From a place of the original code on, in its order: the counter that says what a frame there owes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OwedFrom {
    pub(crate) offset: CodeOffset,
    /// Bytes after the start of the instruction.
    pub(crate) bytes_after: u32,
    pub(crate) counter: Option<u32>,
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

impl CountedLevel {
    /// One object, or one call, per execution.
    pub(crate) fn once(offset: CodeOffset, site: u32, unit: Unit) -> Self {
        Self {
            offset,
            site,
            objects: 1,
            unit,
        }
    }
}

impl Part {
    /// Adds a part that was built after this one.
    pub(crate) fn add(&mut self, next: Self) {
        if let Some(probe) = next.before_rethrow {
            let handlers = self.edit.handlers.iter_mut();
            let rethrowing = handlers.filter(|handler| handler.then == HandlerExit::Rethrow);
            rethrowing.for_each(|handler| append(handler, &probe));
        }
        join(&mut self.edit.insertions, next.edit.insertions);
        join(&mut self.edit.handlers, next.edit.handlers);
        join(&mut self.edit.replacements, next.edit.replacements);
        join(&mut self.sites, next.sites);
        if !next.counted.is_empty() {
            join(&mut self.counted, next.counted);
            self.counted.sort_by_key(|level| level.offset);
        }
        join(&mut self.counters, next.counters);
        join(&mut self.call_sites, next.call_sites);
        join(&mut self.counted_calls, next.counted_calls);
        join(&mut self.causes, next.causes);
        join(&mut self.static_fields, next.static_fields);
        self.called = next.called.or(self.called);
        self.is_hidden_class_gate |= next.is_hidden_class_gate;
        join(&mut self.owed_from, next.owed_from);
        self.profile = next.profile.or(self.profile.take());
        self.counting = next.counting.or(self.counting.take());
    }
}

/// Most lists of a part are empty.
fn join<T>(list: &mut Vec<T>, next: Vec<T>) {
    match list.is_empty() {
        true => *list = next,
        false => list.extend(next),
    }
}

fn append(handler: &mut AddedHandler, probe: &Probe) {
    handler.code.extend_from_slice(&probe.code);
    handler.stack = handler.stack.max(probe.stack);
}

/// Builds a part.
pub(crate) struct PartBuilder<'m> {
    pub(crate) view: &'m MethodView<'m>,
    /// The parts of the planners before.
    pub(crate) before: &'m Part,
    pub(crate) probes: &'m mut Probes,
    pub(crate) numbers: &'m mut dyn Numbers,
    pub(crate) part: Part,
}

impl<'m> PartBuilder<'m> {
    pub(crate) fn new(
        view: &'m MethodView<'m>,
        before: &'m Part,
        probes: &'m mut Probes,
        numbers: &'m mut dyn Numbers,
    ) -> Self {
        Self {
            view,
            before,
            probes,
            numbers,
            part: Part::default(),
        }
    }

    /// Which counters stand where.
    pub(crate) fn counting(&mut self) -> &mut MethodCounting {
        let method = self.view.index;
        let none_yet = || MethodCounting {
            method,
            ..MethodCounting::default()
        };
        self.part.counting.get_or_insert_with(none_yet)
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
        self.part.sites.push(PlannedSite {
            id,
            key,
            line: self.view.lines.line_at(allocation.offset),
            kind: allocation.kind,
            ty: allocation.types.get(level).cloned().flatten(),
            size,
            facts: allocation.facts.clone(),
        });
        Ok(id)
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
            self.part.counters.push(PlannedCounter {
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

    /// Inserts a probe; its position among the insertions of all parts.
    pub(crate) fn insert(&mut self, place: Place, probe: Probe) -> usize {
        self.part.edit.insertions.push(probe.at(place));
        self.insertions().count() - 1
    }

    /// The insertions of all parts, in the order of their positions.
    pub(crate) fn insertions(&self) -> impl Iterator<Item = &Insertion> {
        let before = self.before.edit.insertions.iter();
        before.chain(&self.part.edit.insertions)
    }

    /// Adds a handler that runs a probe.
    pub(crate) fn add_handler(
        &mut self,
        (protects, catch): (Vec<ProtectedPlace>, Catch),
        probe: Probe,
        (then, rank): (HandlerExit, Rank),
    ) {
        self.part.edit.handlers.push(AddedHandler {
            protects,
            catch,
            code: probe.code,
            stack: probe.stack,
            then,
            rank,
        });
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
        let mut known = self.before.call_sites.iter().chain(&self.part.call_sites);
        if let Some(known) = known.find(|site| site.key == key) {
            return Ok(known.id);
        }
        let id = self.numbers.call_site(key).ok_or(Reason::SitesExhausted)?;
        self.part.call_sites.push(PlannedCallSite {
            id,
            key,
            line: self.view.lines.line_at(offset),
            target,
        });
        Ok(id)
    }
}
