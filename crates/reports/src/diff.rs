//! The changes from one run to another, and whether they are still allowed.
//!
//! Counts of executed allocations do not depend on warm-up, compilation or escape analysis. For the same work they
//! repeat nearly exactly, which makes them fit for a gate in CI.
//!
//! Both sides are [`Document`]s, so that a saved JSON report serves as a baseline as well as a trace.

mod calls;
mod change;
mod context_gate;
mod contexts;
mod document;
mod flame;
mod gate;
mod grown_place;
mod judge;
mod matching;
mod off_heap_scope;
mod per;
mod render;
mod review;
mod site_scope;
mod verdict;

use ducktrack_profile::Profile;

pub use contexts::Each;
pub use document::DiffDoc;
pub use flame::diff_html;
pub use gate::{Gate, GateError};
pub use per::Per;
pub(crate) use review::{Remark, github_remarks, sarif_remarks};
pub use review::{ReviewForm, SourceFinder};
pub use verdict::{Outcome, Verdict};

use crate::contexts::ContextsReport;
use crate::ending::ValuesOf;
use crate::filter::{Filter, Sort, in_scope};
use crate::json::{AmountDoc, Document, SiteDoc};
use crate::report::{Declared, Forms, Report};
use crate::view::View;
use calls::{CallChange, changed_calls};
use change::{Change, sort};
use contexts::{ContextChange, changed_contexts};
use judge::judge;
use matching::Placed;

/// Two runs side by side.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// The first run.
    pub before: Side,
    /// The second run.
    pub after: Side,
    /// Calls of the application that cause more or less than before, largest change first; `None` where a run has no totals of calls.
    pub calls: Option<Vec<CallChange>>,
    /// Contexts whose executions make more or less than before, largest change first; `None` where a run has none, or they are not known.
    pub contexts: Option<Vec<ContextChange>>,
    /// Sites that differ, largest change first.
    pub changes: Vec<SiteChange>,
    /// Sites that are the same in both.
    pub unchanged: usize,
    /// Doubts about the comparison, each one sentence.
    pub cautions: Vec<String>,
    /// Outcomes of the gates.
    pub verdicts: Vec<Verdict>,
    /// Changes that are shown; text: 20 when not said.
    pub top: Option<usize>,
    /// How often something happened by which both are divided.
    pub per: Option<Per>,
    /// The whole stacks of both runs, for the page.
    pub stacks: Option<Box<[View; 2]>>,
}

/// One of the two runs.
#[derive(Clone, Debug)]
pub struct Side {
    /// Where it was read from.
    pub name: String,
    /// Command of the run.
    pub command: String,
    /// Java version.
    pub java_version: String,
    /// The compared sites together.
    pub total: AmountDoc,
    /// How many there are.
    pub sites: usize,
}

/// A site that differs.
type SiteChange = Change<SiteDoc>;

/// The choice of what is compared.
#[derive(Clone, Debug, Default)]
pub struct DiffOptions {
    /// Packages or classes; empty for all.
    pub only: Vec<String>,
    /// Contexts; empty for all.
    pub contexts: Vec<String>,
    /// Order of the changes.
    pub sort: Sort,
    /// Changes that are shown.
    pub top: Option<usize>,
}

impl DiffOptions {
    /// The part of a run that is compared.
    #[must_use]
    pub fn filter(&self) -> Filter {
        Filter {
            only: self.only.clone(),
            contexts: self.contexts.clone(),
            ..Filter::default()
        }
    }
}

/// A run to compare.
#[derive(Clone, Copy, Debug)]
pub struct ComparedRun<'a> {
    /// Where it was read from.
    pub name: &'a str,
    /// Its report.
    pub document: &'a Document,
    /// What its contexts made; a saved report does not have it.
    pub contexts: Option<&'a ContextsReport>,
    /// Its sampled stacks; a saved report has none.
    pub stacks: Option<&'a Profile>,
}

/// Compares two runs and checks the gates.
pub fn compare(
    before: ComparedRun<'_>,
    after: ComparedRun<'_>,
    options: &DiffOptions,
    gates: &[Gate],
) -> Comparison {
    let first = kept(&before.document.sites, &options.only);
    let second = kept(&after.document.sites, &options.only);
    let mut changes: Vec<SiteChange> = Change::of_all(&first, &second).collect();
    let all = changes.len();
    changes.retain(|change| change.change() != AmountDoc::default());
    changes.sort_by_cached_key(|change| {
        let key = |site: &SiteDoc| {
            let [class, method, descriptor, ..] = site.name().map(str::to_owned);
            (class, method, descriptor, site.bci)
        };
        change.place().map(key)
    });
    sort(&mut changes, options.sort);
    Comparison {
        before: side(&before, &first),
        after: side(&after, &second),
        calls: changed_calls(before.document, after.document, options),
        contexts: changed_contexts(&before, &after),
        unchanged: all - changes.len(),
        changes,
        cautions: cautions(before.document, after.document),
        verdicts: gates
            .iter()
            .map(|gate| judge(gate, &before, &after))
            .collect(),
        top: options.top,
        per: None,
        stacks: None,
    }
}

impl Comparison {
    /// True when each gate holds.
    pub fn passed(&self) -> bool {
        self.verdicts.iter().all(Verdict::holds)
    }

    /// True when a gate is broken.
    pub fn is_broken(&self) -> bool {
        let mut outcomes = self.verdicts.iter().map(|verdict| &verdict.outcome);
        outcomes.any(|outcome| *outcome == Outcome::Broken)
    }
}

impl Declared for Comparison {
    const FORMS: Forms<Self> = Forms {
        name: "diff",
        text: |comparison, out| render::write(out, comparison),
        next: |_| Vec::new(),
        json: render::json,
        csv: None,
        html: Some(|comparison| match comparison.stacks.as_deref() {
            Some([before, after]) => diff_html(before, after),
            None => Err(comparison.has_no("html")),
        }),
    };
}

/// All of a site in the scope, nothing of another.
fn own_in_scopes(site: &SiteDoc, scopes: &[String]) -> AmountDoc {
    match scopes.iter().any(|scope| in_scope(scope, &site.class)) {
        true => site.amount(),
        false => AmountDoc::default(),
    }
}

/// The part of a site in the scope: all of it when the site is there, else what callers in the scope are blamed for.
fn in_scopes(site: &SiteDoc, scopes: &[String]) -> AmountDoc {
    let wanted = |class: &str| scopes.iter().any(|scope| in_scope(scope, class));
    if scopes.is_empty() || wanted(&site.class) {
        return site.amount();
    }
    let mut sum = AmountDoc::default();
    for context in site
        .context
        .iter()
        .filter(|context| context.caller.class.as_deref().is_some_and(wanted))
    {
        sum.count = sum.count.saturating_add(context.count);
        sum.bytes = sum.bytes.saturating_add(context.bytes);
    }
    sum
}

fn kept(sites: &[SiteDoc], scopes: &[String]) -> Vec<SiteDoc> {
    sites
        .iter()
        .filter_map(|site| {
            let part = in_scopes(site, scopes);
            (part != AmountDoc::default()).then(|| SiteDoc {
                count: part.count,
                bytes: part.bytes,
                ..site.clone()
            })
        })
        .collect()
}

fn side(run: &ComparedRun<'_>, sites: &[SiteDoc]) -> Side {
    let document = run.document;
    let mut total = AmountDoc::default();
    for site in sites {
        total.count = total.count.saturating_add(site.count);
        total.bytes = total.bytes.saturating_add(site.bytes);
    }
    Side {
        name: run.name.to_owned(),
        command: document.run.command.clone(),
        java_version: document.run.java_version.clone(),
        total,
        sites: sites.len(),
    }
}

fn cautions(before: &Document, after: &Document) -> Vec<String> {
    let mut cautions = Vec::new();
    for (which, document) in [("first", before), ("second", after)] {
        if !document.damage.is_empty() || !document.losses.is_empty() {
            cautions.push(format!(
                "the {which} run is damaged or lost something: its numbers may be short"
            ));
        }
        let errors = document.run.out_of_memory.iter();
        cautions.extend(errors.map(|error| format!("the {which} run: {error}")));
        if document.run.ended.is_none() {
            let moment = match document.run.values {
                ValuesOf::Counters => "each thread's last instruction",
                _ => "its last snapshot",
            };
            cautions.push(format!(
                "the {which} run has no end: its numbers are those of {moment}"
            ));
        }
        if document.sites.len() as u64 != document.selected.sites {
            cautions.push(format!(
                "the {which} report was cut to its top {} sites",
                document.sites.len()
            ));
        }
    }
    let kept = |document: &Document| {
        (
            document.filter.only.clone(),
            document.filter.types.clone(),
            document.filter.thread.clone(),
        )
    };
    if kept(before) != kept(after) {
        cautions.push("the two reports were made with different filters".to_owned());
    }
    if before.caused.is_some() != after.caused.is_some() {
        cautions.push(
            "only one of the runs has totals of calls (--app): the calls are not compared"
                .to_owned(),
        );
    }
    if before.run.vm != after.run.vm {
        cautions.push(format!(
            "different VMs ({} and {}): the JDK's own code differs",
            before.run.vm, after.run.vm
        ));
    }
    if before.refusals.sites != after.refusals.sites {
        cautions.push(format!(
            "sites that are not counted: {} in the first run, {} in the second",
            before.refusals.sites, after.refusals.sites
        ));
    }
    cautions
}
