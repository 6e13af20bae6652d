//! The probes in a method's code: the rewriter runs here, and its counters are listed with their
//! places.
//!
//! The placement on the graph is a plan. The rewriter does not use it if it is not worth it (see
//! [`WhyPerSite`](ducktrack_class_rewriter::WhyPerSite)). Otherwise it moves counters from edges into blocks, merges those that end up in
//! the same block, and adds stubs for exceptions.

use std::collections::BTreeMap;

use ducktrack_class_rewriter::{
    AllocationProbes, ClassRewriter, ConsecutiveNumbers, MethodProfile, RewriteOptions,
    RewrittenClass, Role, Stamps, ThreadTotals, TrackedMethods, Unit, WhyPerSite,
};
use ducktrack_classfile::CodeOffset;
use ducktrack_code_edit::Place;

use crate::site::Site;

/// A rewritten class.
pub(crate) struct Rewritten(Result<RewrittenClass, String>);

/// The counters of one method in its code.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct InCode {
    pub(crate) verdict: Verdict,
    /// Counters in the code that runs without an exception.
    pub(crate) counters: Vec<InCodeCounter>,
    /// Sites that have a separate counter although paths have counters, and why.
    pub(crate) beside_paths: Vec<(usize, WhyPerSite)>,
    pub(crate) stubs: Vec<InCodeStub>,
    /// Sites without a counter: filed under class or caller, or counted at the caller.
    pub(crate) uncounted: Vec<usize>,
}

/// How a method is counted.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Verdict {
    /// Its paths have counters.
    ByPath,
    /// Each site has a counter.
    PerSite(WhyPerSite),
    /// No site has a counter.
    NoCounters,
    /// The rewriter leaves the method unchanged.
    Refused(String),
}

/// A counter and what one increment of it stands for.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct InCodeCounter {
    pub(crate) place: Place,
    pub(crate) terms: Vec<InCodeTerm>,
}

/// Objects of one level of one site.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct InCodeTerm {
    pub(crate) site: usize,
    /// Level of a multi-dimensional array; 0 is the outermost, or not an array.
    pub(crate) level: u8,
    pub(crate) factor: i32,
}

/// A stub for exceptions.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct InCodeStub {
    pub(crate) handler: Option<CodeOffset>,
    pub(crate) protects: usize,
    pub(crate) terms: Vec<InCodeTerm>,
}

impl Rewritten {
    /// Rewrites a class as the agent does by default, with `profile` as the measured frequencies.
    pub(crate) fn of(bytes: &[u8], profile: Option<MethodProfile>) -> Self {
        let options = RewriteOptions {
            allocations: AllocationProbes::PathCounters,
            histogram: false,
            materialized: false,
            totals: ThreadTotals::None,
            calls: false,
            off_heap: false,
            joined_chains: false,
            profile: true,
            redundant_stamps: false,
        };
        let rewriter = ClassRewriter {
            options: &options,
            tracked: &TrackedMethods::built_in(),
            application: None,
            contexts: None,
            hidden: false,
            stamps: Stamps::None,
        };
        let profiles: Vec<MethodProfile> = profile.into_iter().collect();
        let outcome = rewriter.rewrite(bytes, &profiles, &mut ConsecutiveNumbers::default());
        Self(outcome.map_err(|reason| reason.to_string()))
    }

    /// One method of the class; `sites` in code order.
    pub(crate) fn method(&self, index: u16, sites: &[Site]) -> InCode {
        let class = match &self.0 {
            Ok(class) => class,
            Err(reason) => {
                return InCode::without_counters(Verdict::Refused(reason.clone()), sites);
            }
        };
        let mut refusals = class.refusals.iter();
        if let Some(refusal) = refusals.find(|refusal| refusal.method == Some(index)) {
            return InCode::without_counters(Verdict::Refused(refusal.reason.to_string()), sites);
        }
        let mut counting = class.counting.iter();
        match counting.find(|counting| counting.method == index) {
            Some(counting) => InCode::of(class, counting, sites),
            None => InCode::without_counters(Verdict::NoCounters, sites),
        }
    }
}

impl InCode {
    fn without_counters(verdict: Verdict, sites: &[Site]) -> Self {
        Self {
            verdict,
            counters: Vec::new(),
            beside_paths: Vec::new(),
            stubs: Vec::new(),
            uncounted: (0..sites.len()).collect(),
        }
    }

    fn of(
        class: &RewrittenClass,
        counting: &ducktrack_class_rewriter::MethodCounting,
        sites: &[Site],
    ) -> Self {
        let terms = terms_by_counter(class, counting.method, sites);
        let terms_of = |counter: &u32| terms.get(counter).cloned().unwrap_or_default();
        let counters: Vec<InCodeCounter> = counting
            .probes
            .iter()
            .map(|(counter, place)| InCodeCounter {
                place: *place,
                terms: terms_of(counter),
            })
            .collect();
        let is_counted = |site: &usize| {
            let mut terms = counters.iter().flat_map(|counter| &counter.terms);
            terms.any(|term| term.site == *site)
        };
        let uncounted = (0..sites.len()).filter(|site| !is_counted(site)).collect();
        let number = |offset: CodeOffset| sites.iter().position(|site| site.offset == offset);
        let mut beside_paths: Vec<(usize, WhyPerSite)> = counting
            .beside_paths
            .iter()
            .filter_map(|(offset, why)| Some((number(*offset)?, *why)))
            .collect();
        // Here the levels of an array are one site.
        beside_paths.dedup();
        Self {
            verdict: match counting.per_site {
                Some(why) => Verdict::PerSite(why),
                None => Verdict::ByPath,
            },
            beside_paths,
            stubs: counting
                .stubs
                .iter()
                .map(|stub| InCodeStub {
                    handler: stub.handler,
                    protects: stub.protects,
                    terms: terms_of(&stub.counter),
                })
                .collect(),
            uncounted,
            counters,
        }
    }

    /// Whether the code has the counters of paths.
    pub(crate) fn is_by_path(&self) -> bool {
        self.verdict == Verdict::ByPath
    }

    /// Whether paths determine, or would determine, how a site is counted.
    pub(crate) fn concerns_paths(&self, site: usize) -> bool {
        let beside = self.beside_paths.iter().any(|(beside, _)| *beside == site);
        !beside && (!self.uncounted.contains(&site) || self.counters.is_empty())
    }

    /// One sentence about how the method is counted.
    pub(crate) fn verdict_text(&self) -> String {
        match &self.verdict {
            Verdict::ByPath => "paths have counters".to_owned(),
            Verdict::PerSite(why) => format!("one counter per site: {why}"),
            Verdict::NoCounters => "no counters: everything is filed under class or caller, or counted where the method is called".to_owned(),
            Verdict::Refused(reason) => format!("the method is left as it is: {reason}"),
        }
    }

    /// Everything else in the code, one line each: counters `k0`, `k1`, ..., stubs, and sites without a counter.
    pub(crate) fn lines(&self) -> Vec<String> {
        let counters = self.counters.iter().enumerate().map(|(number, counter)| {
            let place = place_text(counter.place);
            format!(
                "{:<4} {place:<26} {}",
                format!("k{number}"),
                terms_text(&counter.terms)
            )
        });
        let mut lines: Vec<String> = counters.collect();
        lines.extend(self.stubs.iter().map(|stub| {
            let then = match stub.handler {
                Some(handler) => format!("then on to the handler @{handler}"),
                None => "then thrown on".to_owned(),
            };
            format!(
                "stub {:<26} {}, {then}",
                places_text(stub.protects),
                terms_text(&stub.terms)
            )
        }));
        lines.extend(
            self.beside_paths
                .iter()
                .map(|(site, why)| format!("s{site} has a counter of its own: {why}")),
        );
        let uncounted: Vec<String> = self
            .uncounted
            .iter()
            .map(|site| format!("s{site}"))
            .collect();
        if !uncounted.is_empty() && !self.counters.is_empty() {
            lines.push(format!(
                "{}: filed under class or caller where it is made",
                uncounted.join(" ")
            ));
        }
        lines
    }

    /// The names of counters directly after a site's instruction, such as ` k0`, if paths have none.
    pub(crate) fn marks_of(&self, site: usize) -> String {
        if self.is_by_path() {
            return String::new();
        }
        let numbered = self.counters.iter().enumerate();
        let own =
            numbered.filter(|(_, counter)| counter.terms.iter().any(|term| term.site == site));
        own.map(|(number, _)| format!("  k{number}")).collect()
    }
}

/// The meaning of one increment of each counter.
fn terms_by_counter(
    class: &RewrittenClass,
    method: u16,
    sites: &[Site],
) -> BTreeMap<u32, Vec<InCodeTerm>> {
    let planned = class.sites.iter().filter(|site| site.key.method == method);
    let numbers: BTreeMap<u32, (usize, u8)> = planned
        .filter_map(|planned| {
            let number = sites
                .iter()
                .position(|site| site.offset == planned.key.offset)?;
            Some((planned.id, (number, planned.key.level)))
        })
        .collect();
    let increments = class
        .counters
        .iter()
        .filter(|counter| counter.method == method && counter.role == Role::Increment);
    increments
        .map(|counter| {
            let counts = counter.terms.iter().filter(|term| term.unit == Unit::Count);
            let terms = counts.filter_map(|term| {
                let (site, level) = *numbers.get(&term.site)?;
                Some(InCodeTerm {
                    site,
                    level,
                    factor: term.factor,
                })
            });
            (counter.id, terms.collect())
        })
        .collect()
}

fn place_text(place: Place) -> String {
    match place {
        Place::Entry => "at entry".to_owned(),
        Place::Before(at) => format!("before @{at}"),
        Place::After(at) => format!("after @{at}"),
        Place::FallThroughInto(at) => format!("falling into @{at}"),
        Place::OnBranch { from, to } => format!("on the branch @{from} -> @{to}"),
    }
}

/// The number of instructions and probes that a stub protects, as text.
fn places_text(places: usize) -> String {
    match places {
        1 => "for 1 place".to_owned(),
        many => format!("for {many} places"),
    }
}

/// `+s0 -s3 +6 s4[1]`
fn terms_text(terms: &[InCodeTerm]) -> String {
    let text = |term: &InCodeTerm| {
        let level = match term.level {
            0 => String::new(),
            level => format!("[{level}]"),
        };
        match term.factor {
            1 => format!("+s{}{level}", term.site),
            -1 => format!("-s{}{level}", term.site),
            factor => format!("{factor:+} s{}{level}", term.site),
        }
    };
    terms.iter().map(text).collect::<Vec<_>>().join(" ")
}
