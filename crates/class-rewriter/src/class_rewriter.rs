//! One class: bytes in, bytes out, or a named refusal.

use ducktrack_classfile::{ClassFile, Code, Method, Opcode, PoolAppender};

use crate::allocation_site::{Allocation, allocations};
use crate::call_rules::body_is_counted_by_callers;
use crate::edit::{OffsetMap, edit_code, rewrite_class_methods};
use crate::method_counting::{MethodCounting, WhyPerSite};
use crate::method_plan::{MethodPlan, MethodPlanner, MethodView, OwedFrom};
use crate::planned::{Numbers, PlannedCallSite, PlannedCounter, PlannedSite};
use crate::pool_rules::PoolRules;
use crate::profile::{MethodProfile, OwedByFrames, ProfilePoints};
use crate::refusal::{Reason, Refusal};
use crate::rewrite_options::{CounterChoice, RewriteOptions};
use crate::tracked_methods::TrackedMethods;

/// A class with its probes, and what they mean.
#[derive(Debug, Default)]
pub struct RewrittenClass {
    /// The new class file; `None` when nothing in it had to change.
    pub bytes: Option<Vec<u8>>,
    /// Sites that are counted.
    pub sites: Vec<PlannedSite>,
    /// Their counters.
    pub counters: Vec<PlannedCounter>,
    /// Calls of tracked methods.
    pub call_sites: Vec<PlannedCallSite>,
    /// Methods that were left as they are.
    pub refusals: Vec<Refusal>,
    /// Methods that can be re-instrumented, with the counters that tell when and how.
    pub profiles: Vec<ProfilePoints>,
    /// What frames owe while they run.
    pub owed: Vec<OwedByFrames>,
    /// Which counters stand where, for each method that has any, in order.
    pub counting: Vec<MethodCounting>,
    /// Whether one of them is where hidden classes come in, which are now rewritten.
    pub hidden_class_gate: bool,
    /// How many methods have probes.
    pub methods: u32,
    /// Bytes of bytecode of these methods before and after.
    pub code_bytes: (u64, u64),
}

/// What one class is rewritten by.
#[derive(Clone, Copy, Debug)]
pub struct ClassRewriter<'a> {
    /// How and what to count.
    pub options: &'a RewriteOptions,
    /// Methods that pass the blame to their callers.
    pub tracked: &'a TrackedMethods,
    /// The class is hidden. Hidden classes of the JDK's own machinery take no blame for their calls; proxies of lambdas and method
    /// references do, as they call what their user named.
    pub hidden: bool,
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
        let rules = PoolRules::of(&class, self.tracked)?;
        let mut pool = PoolAppender::new(class.pool());
        let mut result = RewrittenClass::default();
        let mut edits: Vec<(u16, Vec<u8>)> = Vec::new();
        for (index, method) in (0u16..).zip(class.methods()) {
            let Some(code) = method.code() else { continue };
            if !may_need_probes(&code, &rules) {
                continue;
            }
            let profile = profiles.iter().find(|profile| profile.method == index);
            match self.rewrite_method(
                &class,
                &rules,
                (index, &method, code),
                profile,
                &mut pool,
                numbers,
            ) {
                Ok(None) => {}
                Ok(Some((plan, attribute))) => {
                    result.code_bytes.0 += code.bytecode().len() as u64;
                    result.code_bytes.1 += code_length(&attribute);
                    edits.push((index, attribute));
                    result.add(plan);
                }
                Err((reason, sites)) => result.refusals.push(Refusal {
                    method: Some(index),
                    reason,
                    sites,
                }),
            }
        }
        if !edits.is_empty() {
            let edits = edits
                .iter()
                .map(|(method, attribute)| (usize::from(*method), attribute.as_slice()));
            result.bytes = Some(rewrite_class_methods(&class, edits, &pool)?);
        }
        Ok(result)
    }

    #[allow(
        clippy::type_complexity,
        reason = "a pair of a result is read once, in the loop above"
    )]
    fn rewrite_method(
        &self,
        class: &ClassFile<'_>,
        rules: &PoolRules,
        (index, method, code): (u16, &Method<'_>, Code<'_>),
        profile: Option<&MethodProfile>,
        pool: &mut PoolAppender,
        numbers: &mut dyn Numbers,
    ) -> Result<Option<(MethodPlan, Vec<u8>)>, (Reason, u32)> {
        let mut allocations =
            allocations(class, &code, rules).map_err(|error| (Reason::Malformed(error), 0))?;
        let counted_by_callers =
            body_is_counted_by_callers(class.name(), method.name(), method.descriptor());
        if counted_by_callers {
            allocations.clear();
        }
        let sites = site_count(&allocations);
        let view = MethodView {
            class,
            code,
            index,
            constructor: method.is_constructor(),
            is_static: method.is_static(),
            descriptor: method.descriptor(),
            class_initializer: method.name() == b"<clinit>",
            tracked: self.tracked.contains(class.name(), method.name()),
            counted_by_callers,
            takes_blame: !(self.hidden && class.name().starts_with(b"java/lang/")
                || self.tracked.is_transparent(class.name())),
            rules,
            options: self.options,
            allocations,
        };
        let mut planner = MethodPlanner::new(&view, pool, numbers);
        plan_method(&mut planner, profile).map_err(|reason| (reason, sites))?;
        let mut plan = planner.plan;
        if plan.edit.is_empty() {
            return Ok(None);
        }
        let edited =
            edit_code(method, &plan.edit, pool).map_err(|reason| (Reason::Edit(reason), sites))?;
        plan.counting.method = index;
        plan.owed = owed_in_new_code(index, &plan.owed_from, &edited.offsets);
        Ok(Some((plan, edited.attribute)))
    }
}

/// The plan of one method: stack for its probes, what must stand at the allocation, then counters, then the calls of tracked methods.
fn plan_method(
    planner: &mut MethodPlanner<'_, '_, '_>,
    profile: Option<&MethodProfile>,
) -> Result<(), Reason> {
    let view = planner.view;
    let mut counted = Vec::new();
    if !view.allocations.is_empty() {
        planner.claim_stack()?;
    }
    for allocation in &view.allocations {
        match view.options.counters {
            CounterChoice::Event => planner.record(allocation)?,
            _ => counted.extend(planner.measure(allocation)?),
        }
    }
    planner.note_tracked_calls()?;
    planner.open_gate()?;
    match view.options.counters {
        _ if counted.is_empty() => Ok(()),
        CounterChoice::Site => planner.count_all_per_site(&counted, WhyPerSite::Asked),
        CounterChoice::Path => planner.count_per_path(&counted, profile),
        CounterChoice::Event => Ok(()),
    }
}

impl RewrittenClass {
    fn add(&mut self, plan: MethodPlan) {
        self.methods += 1;
        self.hidden_class_gate |= plan.is_hidden_class_gate;
        self.sites.extend(plan.sites);
        self.counters.extend(plan.counters);
        self.call_sites.extend(plan.call_sites);
        self.profiles.extend(plan.profile);
        self.owed.extend(plan.owed);
        if plan.counting != MethodCounting::default() {
            self.counting.push(plan.counting);
        }
    }
}

fn owed_in_new_code(method: u16, owed: &[OwedFrom], offsets: &OffsetMap) -> Option<OwedByFrames> {
    if owed.iter().all(|place| place.counter.is_none()) {
        return None;
    }
    let new_place =
        |place: &OwedFrom| Some((offsets.insn(place.offset)?.0 + place.behind, place.counter));
    let mut from: Vec<(u32, Option<u32>)> = owed.iter().filter_map(new_place).collect();
    from.sort_by_key(|(place, _)| *place);
    Some(OwedByFrames { method, from })
}

fn site_count(allocations: &[Allocation]) -> u32 {
    allocations
        .iter()
        .map(|allocation| allocation.types.len())
        .sum::<usize>()
        .try_into()
        .unwrap_or(u32::MAX)
}

/// A quick look: most methods have nothing to count. An instruction that cannot be decoded needs a closer look.
fn may_need_probes(code: &Code<'_>, rules: &PoolRules) -> bool {
    code.instructions().any(|instruction| match instruction {
        Ok(instruction) => match instruction.opcode {
            Opcode::NEW | Opcode::NEWARRAY | Opcode::ANEWARRAY | Opcode::MULTIANEWARRAY => true,
            Opcode::INVOKEVIRTUAL
            | Opcode::INVOKESPECIAL
            | Opcode::INVOKESTATIC
            | Opcode::INVOKEINTERFACE
            | Opcode::INVOKEDYNAMIC => {
                !rules.is_empty()
                    && instruction
                        .pool_index()
                        .is_some_and(|index| rules.concerns(index))
            }
            _ => false,
        },
        Err(_) => true,
    })
}

/// `code_length` of a Code attribute's data: after max_stack and max_locals.
fn code_length(attribute: &[u8]) -> u64 {
    match attribute.get(4..8) {
        Some(&[a, b, c, d]) => u32::from_be_bytes([a, b, c, d]).into(),
        _ => 0,
    }
}
