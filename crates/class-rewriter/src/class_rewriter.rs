//! One class: bytes in, bytes out, or a named refusal.

use crate::allocation_site::{Allocation, allocations, find_facts};
use crate::application::{ApplicationClasses, LeavingCalls};
use crate::call_context::TrackedCalls;
use crate::call_totals::{CallTotals, VirtualThreads};
use crate::class_template::ClassTemplate;
use crate::context_probes::{ContextEntries, ContextMethods, Entries, Exits};
use crate::counted_calls::{CountedCalls, is_of_jdk};
use crate::event_probes::Events;
use crate::hidden_class_gate::HiddenClassGate;
use crate::joined_chains::{self, joined_chains};
use crate::joined_counting::{JoinedBodies, JoinedChains};
use crate::local_numbers::LocalNumbers;
use crate::measure_probes::Measures;
use crate::method_plan::{EditedMethod, MethodPlan};
use crate::method_view::MethodView;
use crate::off_heap_gates::OffHeapGates;
use crate::path_counting::PathCounters;
use crate::planned::Numbers;
use crate::planner::{Planner, may_need_probes};
use crate::pool_rules::PoolRules;
use crate::probe::own;
use crate::profile::MethodProfile;
use crate::refusal::{Reason, Refusal};
use crate::rewrite_options::{AllocationProbes, RewriteOptions, ThreadTotals};
use crate::rewritten_class::RewrittenClass;
use crate::shutdown_gate::{self, ShutdownGate};
use crate::site_facts::Surroundings;
use crate::site_plan::SiteCounters;
use crate::stamps::Stamps;
use crate::tracked_methods::TrackedMethods;
use crate::use_planner::UseStamps;
use crate::waiting_methods::waits_for_ever;
use ducktrack_classfile::{ClassFile, Instruction, Method, PoolAppender};
use ducktrack_code_edit::Probes;

/// The rules by which one class is rewritten.
#[derive(Clone, Copy, Debug)]
pub struct ClassRewriter<'a> {
    /// How and what to count.
    pub options: &'a RewriteOptions,
    /// Methods that pass the blame to their callers.
    pub tracked: &'a TrackedMethods,
    /// The application, where the allocations of its calls of other code are added
    /// up; the helper classes `DuckTrackCalls` and `DuckTrackOwn` must be there.
    pub application: Option<&'a dyn ApplicationClasses>,
    /// Methods that open contexts; the helper class `DuckTrackContexts` must be there.
    pub contexts: Option<&'a dyn ContextMethods>,
    /// The class is hidden. Hidden classes of the JDK's own machinery take no blame for their calls; proxies of lambdas and method
    /// references do, as they call what their user named.
    pub hidden: bool,
    /// Whether the objects that its methods use are stamped; the helper class must be there.
    pub stamps: Stamps,
}

impl ClassRewriter<'_> {
    /// Rewrites a class. `profiles` are the measured edge frequencies of methods that are re-instrumented, by method index.
    ///
    /// # Errors
    /// The reason why the class as a whole must be left as it is.
    pub fn rewrite(
        &self,
        bytes: &[u8],
        profiles: &[MethodProfile],
        numbers: &mut dyn Numbers,
    ) -> Result<RewrittenClass, Reason> {
        let class = ClassFile::parse(bytes)?;
        let template = self.plan(&class, profiles, numbers)?;
        template.link(&class, numbers)
    }

    /// Whether the class's plan depends on nothing but its bytes, the options and the tracked methods.
    #[must_use]
    pub fn plans_alike_in_each_run(&self, class: &ClassFile<'_>) -> bool {
        let is_plain = self.application.is_none() && self.stamps == Stamps::None && !self.hidden;
        is_plain && ContextEntries::of(class, self.contexts).is_empty()
    }

    /// Plans a class: everything but its numbers. Only fields and methods get theirs here.
    ///
    /// # Errors
    /// The reason why the class as a whole must be left as it is.
    pub fn plan(
        &self,
        class: &ClassFile<'_>,
        profiles: &[MethodProfile],
        numbers: &mut dyn Numbers,
    ) -> Result<ClassTemplate, Reason> {
        let mut numbers = LocalNumbers::new(numbers);
        let rules = PoolRules::of(class, self.tracked)?;
        let leaving = LeavingCalls::of(class, self.application)?;
        let contexts = ContextEntries::of(class, self.contexts);
        let planners = self.planners(class, (&rules, &leaving, &contexts), profiles);
        let mut probes = Probes::new(PoolAppender::new(class.pool()))
            .numbers_in_code(numbers.are_of_later_run());
        let is_own = |application: &dyn ApplicationClasses| application.contains(class.name());
        if self.application.is_some_and(is_own) {
            probes = probes.instead(own);
        }
        let mut instructions: Vec<Instruction<'_>> = Vec::new();
        let mut result = RewrittenClass::default();
        let mut edits: Vec<(u16, Vec<u8>)> = Vec::new();
        for (index, method) in (0u16..).zip(class.methods()) {
            let Some(code) = method.code() else { continue };
            instructions.clear();
            let decoded = code.instructions().try_for_each(|instruction| {
                instructions.push(instruction?);
                Ok(())
            });
            if decoded.is_ok() && !may_need_probes(&planners, method.is_static(), &instructions) {
                continue;
            }
            if self.stamps == Stamps::None && waits_for_ever(class.name(), method.name()) {
                result.refusals.push(Refusal {
                    method: Some(index),
                    reason: Reason::WaitsForEver,
                    sites: decoded
                        .and_then(|()| allocations(class, &code, &instructions, &rules))
                        .map_or(0, |all| site_count(&all)),
                });
                continue;
            }
            let rewritten = decoded
                .map_err(|error| (Reason::Malformed(error), 0))
                .and_then(|()| {
                    self.rewrite_method(
                        class,
                        (&rules, &leaving),
                        (index, &method, &instructions),
                        &planners,
                        &mut probes,
                        &mut numbers,
                    )
                });
            match rewritten {
                Ok(None) => {}
                Ok(Some(edited)) => {
                    if edited.is_too_large_for_stamps {
                        result.refusals.push(Refusal {
                            method: Some(index),
                            reason: Reason::TooLargeForStamps,
                            sites: 0,
                        });
                    }
                    if edited.part.edit.is_empty() {
                        continue;
                    }
                    result.code_bytes.0 += code.bytecode().len() as u64;
                    result.code_bytes.1 += code_length(&edited.attribute);
                    edits.push((index, edited.attribute));
                    result.add(edited.part, edited.owed);
                }
                Err((reason, sites)) => result.refusals.push(Refusal {
                    method: Some(index),
                    reason,
                    sites,
                }),
            }
        }
        ClassTemplate::new(result, edits, numbers.into_requests(), &mut probes)
    }

    /// The planners for a class, in the order of their probes at one place. Stamps are last, because they are left out where they make a
    /// method too large.
    fn planners<'a>(
        &'a self,
        class: &ClassFile<'_>,
        (rules, leaving, contexts): (&'a PoolRules, &'a LeavingCalls, &'a ContextEntries),
        profiles: &'a [MethodProfile],
    ) -> Vec<Box<dyn Planner + 'a>> {
        let mut planners: Vec<Box<dyn Planner + 'a>> = Vec::new();
        if !contexts.is_empty() {
            planners.push(Box::new(Entries(contexts)));
        }
        match self.options.allocations {
            AllocationProbes::PathCounters | AllocationProbes::SiteCounters => {
                planners.push(Box::new(Measures { rules }));
                if self.options.joined_chains {
                    planners.push(Box::new(JoinedChains));
                }
            }
            AllocationProbes::Events => planners.push(Box::new(Events { rules })),
            AllocationProbes::None => {}
        }
        if self.options.calls && self.options.allocations.are_counted() {
            let calls = CountedCalls::of(class);
            planners.extend(calls.map(|calls| Box::new(calls) as Box<dyn Planner>));
        }
        planners.push(Box::new(TrackedCalls { rules }));
        if !leaving.is_empty() {
            planners.push(Box::new(CallTotals { leaving }));
        }
        if self.options.allocations.are_counted() && VirtualThreads::concern(class) {
            let has_calls = self.options.totals == ThreadTotals::Calls;
            planners.push(Box::new(VirtualThreads { has_calls }));
        }
        if rules.hidden_class_entrance().is_some() {
            planners.push(Box::new(HiddenClassGate { rules }));
        }
        if self.options.off_heap {
            let gates = OffHeapGates::of(class);
            planners.extend(gates.map(|gates| Box::new(gates) as Box<dyn Planner>));
        }
        if self.options.joined_chains && class.name() == joined_chains::BUILDER {
            planners.push(Box::new(JoinedBodies));
        }
        if class.name() == shutdown_gate::CLASS {
            planners.push(Box::new(ShutdownGate));
        }
        match self.options.allocations {
            AllocationProbes::PathCounters => planners.push(Box::new(PathCounters { profiles })),
            AllocationProbes::SiteCounters => planners.push(Box::new(SiteCounters)),
            AllocationProbes::Events | AllocationProbes::None => {}
        }
        if !contexts.is_empty() {
            planners.push(Box::new(Exits(contexts)));
        }
        if self.stamps != Stamps::None {
            planners.push(Box::new(UseStamps(self.stamps)));
        }
        planners
    }

    fn rewrite_method(
        &self,
        class: &ClassFile<'_>,
        (rules, leaving): (&PoolRules, &LeavingCalls),
        (index, method, instructions): (u16, &Method<'_>, &[Instruction<'_>]),
        planners: &[Box<dyn Planner + '_>],
        probes: &mut Probes,
        numbers: &mut dyn Numbers,
    ) -> Result<Option<EditedMethod>, (Reason, u32)> {
        let Some(code) = method.code() else {
            return Ok(None);
        };
        let mut allocations = allocations(class, &code, instructions, rules)
            .map_err(|error| (Reason::Malformed(error), 0))?;
        let counted_by_callers = rules.body_is_counted_by_callers(class.name(), method);
        if counted_by_callers || self.options.allocations == AllocationProbes::None {
            allocations.clear();
        }
        let sites = site_count(&allocations);
        if !is_of_jdk(class.name()) && !allocations.is_empty() {
            let surroundings = Surroundings::of(&code, instructions, method.is_static());
            find_facts(&surroundings, &mut allocations);
        }
        let tracked = self.tracked.contains(class.name(), method.name());
        let takes_blame = !(self.hidden && class.name().starts_with(b"java/lang/")
            || self.tracked.is_transparent(class.name()));
        let mut joined = Vec::new();
        if self.options.joined_chains && takes_blame && !(tracked || counted_by_callers) {
            joined = joined_chains(&code, instructions, &allocations, rules)
                .map_err(|error| (Reason::Malformed(error), 0))?;
            allocations.retain(|made| !joined.iter().any(|chain| chain.new == made.offset));
        }
        let view = MethodView {
            class,
            method,
            lines: code.line_numbers(),
            code,
            instructions,
            index,
            constructor: method.is_constructor(),
            is_static: method.is_static(),
            descriptor: method.descriptor(),
            class_initializer: method.name() == b"<clinit>",
            tracked,
            counted_by_callers,
            takes_blame,
            rules,
            leaving,
            options: self.options,
            allocations,
            joined,
        };
        let planned = MethodPlan::of(&view, planners, probes, numbers);
        let edited = planned.and_then(|plan| plan.apply(&view, probes.pool()));
        edited.map_err(|reason| (reason, sites))
    }
}

fn site_count(allocations: &[Allocation]) -> u32 {
    allocations
        .iter()
        .map(|allocation| allocation.types.len())
        .sum::<usize>()
        .try_into()
        .unwrap_or(u32::MAX)
}

/// `code_length` of a Code attribute's data: after max_stack and max_locals.
fn code_length(attribute: &[u8]) -> u64 {
    match attribute.get(4..8) {
        Some(&[a, b, c, d]) => u32::from_be_bytes([a, b, c, d]).into(),
        _ => 0,
    }
}
