//! A rewritten class: its bytes, and what its numbers mean.

use serde::{Deserialize, Serialize};

use crate::local_numbers::RealNumbers;
use crate::method_counting::MethodCounting;
use crate::part::Part;
use crate::planned::{
    PlannedCall, PlannedCallSite, PlannedCause, PlannedCounter, PlannedField, PlannedMethod,
    PlannedSite,
};
use crate::profile::{OwedByFrames, ProfilePoints};
use crate::refusal::{Reason, Refusal};

/// A class with its probes, and what they mean.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RewrittenClass {
    /// The new class file; `None` when nothing in it had to change.
    #[serde(skip)]
    pub bytes: Option<Vec<u8>>,
    /// Sites that are counted.
    pub sites: Vec<PlannedSite>,
    /// Their counters.
    pub counters: Vec<PlannedCounter>,
    /// Calls of tracked methods.
    pub call_sites: Vec<PlannedCallSite>,
    /// Calls whose executions are counted.
    pub counted_calls: Vec<PlannedCall>,
    /// Methods whose calls are recorded.
    #[serde(skip)]
    pub called: Vec<PlannedMethod>,
    /// Static fields whose updates are recorded.
    #[serde(skip)]
    pub static_fields: Vec<PlannedField>,
    /// Calls that leave the application.
    pub causes: Vec<PlannedCause>,
    /// Methods that were left as they are.
    #[serde(skip)]
    pub refusals: Vec<Refusal>,
    /// Methods that can be re-instrumented, with the counters that tell when and how.
    pub profiles: Vec<ProfilePoints>,
    /// The debts of running frames.
    pub owed: Vec<OwedByFrames>,
    /// Which counters stand where, for each method that has any, in order.
    #[serde(skip)]
    pub counting: Vec<MethodCounting>,
    /// Whether one of them is where hidden classes come in, which are now rewritten.
    pub hidden_class_gate: bool,
    /// How many methods have probes.
    pub methods: u32,
    /// Bytes of bytecode of these methods before and after.
    pub code_bytes: (u64, u64),
}

impl RewrittenClass {
    /// Adds a method.
    pub(crate) fn add(&mut self, method: Part, owed: Option<OwedByFrames>) {
        self.methods += 1;
        self.hidden_class_gate |= method.is_hidden_class_gate;
        self.sites.extend(method.sites);
        self.counters.extend(method.counters);
        self.call_sites.extend(method.call_sites);
        self.counted_calls.extend(method.counted_calls);
        self.causes.extend(method.causes);
        self.profiles.extend(method.profile);
        self.owed.extend(owed);
        self.called.extend(method.called);
        self.static_fields.extend(method.static_fields);
        self.counting.extend(method.counting);
    }
}

impl RewrittenClass {
    /// Replaces local numbers.
    pub(crate) fn renumber(&mut self, real: &RealNumbers) -> Result<(), Reason> {
        let sites = self.sites.iter_mut().map(|site| &mut site.id);
        let calls = self.call_sites.iter_mut().map(|call| &mut call.id);
        let counted = self.counted_calls.iter_mut().map(|call| &mut call.id);
        let causes = self.causes.iter_mut();
        let causes = causes.flat_map(|cause| [&mut cause.call_site, &mut cause.first]);
        let counters = self.counters.iter_mut().flat_map(|counter| {
            let terms = counter.terms.iter_mut().map(|term| &mut term.site);
            terms.chain([&mut counter.id])
        });
        let owed = self.owed.iter_mut().flat_map(|owed| &mut owed.from);
        let owed = owed.filter_map(|(_, counter)| counter.as_mut());
        let profiles = self.profiles.iter_mut();
        let profiles = profiles.flat_map(ProfilePoints::counter_numbers);
        let counting = self.counting.iter_mut();
        let counting = counting.flat_map(MethodCounting::counter_numbers);
        let all = sites
            .chain(calls)
            .chain(counted)
            .chain(causes)
            .chain(counters);
        let all = all.chain(owed).chain(profiles).chain(counting);
        all.into_iter().try_for_each(|number| real.put(number))
    }
}
