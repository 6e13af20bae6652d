//! Places of the program that allocate more than before, largest growth first.

use std::collections::{BTreeMap, BTreeSet};

use super::SourceFinder;
use crate::diff::calls::CallChange;
use crate::diff::{Comparison, SiteChange};
use crate::json::{AmountDoc, CallerDoc, SiteDoc};
use crate::quantity::{grouped, grouped_signed};

const DEFAULT_TOP: usize = 20;

/// A place that allocates more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Finding {
    /// `com.acme.Shop.sell`
    pub(super) method: String,
    /// Its allocation or call there: `makes int[]`.
    pub(super) what: String,
    pub(super) before: AmountDoc,
    pub(super) after: AmountDoc,
    pub(super) line: Option<u16>,
    /// The path of the file in the repository, where it was found.
    pub(super) file: Option<String>,
}

impl Finding {
    /// Its name in all versions of the source.
    pub(super) fn stable_name(&self) -> String {
        format!("{} {}", self.method, self.what)
    }

    pub(super) fn objects(&self) -> i64 {
        self.after.count.saturating_sub(self.before.count)
    }

    pub(super) fn bytes(&self) -> i64 {
        self.after.bytes.saturating_sub(self.before.bytes)
    }

    /// One sentence.
    pub(super) fn sentence(&self) -> String {
        format!(
            "{} {}: {} objects ({} -> {}), {} bytes",
            self.method,
            self.what,
            grouped_signed(i128::from(self.objects())),
            grouped(self.before.count),
            grouped(self.after.count),
            grouped_signed(i128::from(self.bytes()))
        )
    }
}

/// Calls of the application that cause more, and sites of which that is not said already.
pub(super) fn findings(comparison: &Comparison, sources: &SourceFinder<'_>) -> Vec<Finding> {
    let calls = comparison.calls.iter().flatten();
    let mut findings: Vec<Finding> = calls
        .filter_map(|change| of_call(change, sources))
        .collect();
    let place = |finding: &Finding| (finding.method.clone(), finding.line);
    let said: BTreeSet<_> = findings.iter().map(place).collect();
    let sites = comparison.changes.iter();
    let sites = sites.filter_map(|change| of_site(change, sources));
    findings.extend(sites.filter(|finding| !said.contains(&place(finding))));
    findings.retain(|finding| finding.objects() > 0 || finding.bytes() > 0);
    findings.sort_by_key(|finding| (-finding.objects(), -finding.bytes(), finding.stable_name()));
    findings.truncate(comparison.top.unwrap_or(DEFAULT_TOP));
    findings
}

fn of_call(change: &CallChange, sources: &SourceFinder<'_>) -> Option<Finding> {
    let call = change.place()?;
    let [before, after] = change.amounts();
    Some(Finding {
        method: format!("{}.{}", call.class, call.method),
        what: format!("calls {}", call.target),
        before,
        after,
        line: call.line,
        file: file(&call.class, call.source_file.as_deref(), sources),
    })
}

/// At the caller that grew most, if callers are known; else at the site itself.
fn of_site(change: &SiteChange, sources: &SourceFinder<'_>) -> Option<Finding> {
    let site = change.place()?;
    let ty = site.ty.as_deref().unwrap_or("objects");
    if let Some((caller, before, after)) = caller_that_grew_most(change) {
        let class = caller.class.as_deref()?;
        return Some(Finding {
            method: format!("{class}.{}", caller.method.as_deref().unwrap_or("?")),
            what: format!("makes {ty} in {}.{}", site.class, site.method),
            before,
            after,
            line: caller.line,
            file: file(class, caller.source_file.as_deref(), sources),
        });
    }
    let [before, after] = change.amounts();
    Some(Finding {
        method: format!("{}.{}", site.class, site.method),
        what: format!("makes {ty}"),
        before,
        after,
        line: site.line,
        file: file(&site.class, site.source_file.as_deref(), sources),
    })
}

type Key<'a> = (&'a str, Option<&'a str>, Option<&'a str>);

fn caller_that_grew_most(change: &SiteChange) -> Option<(&CallerDoc, AmountDoc, AmountDoc)> {
    let before = by_caller(change.before.as_ref());
    let after = by_caller(change.after.as_ref());
    let was = |key: &Key<'_>| {
        before
            .get(key)
            .map_or_else(AmountDoc::default, |(_, amount)| *amount)
    };
    let (key, (caller, now)) = after
        .iter()
        .max_by_key(|(key, (_, now))| (now.count - was(key).count, now.bytes - was(key).bytes))?;
    Some((*caller, was(key), *now))
}

/// The amounts of callers, wherever their lines are.
fn by_caller(site: Option<&SiteDoc>) -> BTreeMap<Key<'_>, (&CallerDoc, AmountDoc)> {
    let mut sums: BTreeMap<Key<'_>, (&CallerDoc, AmountDoc)> = BTreeMap::new();
    for context in site.iter().flat_map(|site| &site.context) {
        let caller = &context.caller;
        let Some(class) = caller.class.as_deref() else {
            continue;
        };
        let key = (
            class,
            caller.method.as_deref(),
            caller.descriptor.as_deref(),
        );
        let (_, sum) = sums.entry(key).or_insert((caller, AmountDoc::default()));
        sum.count = sum.count.saturating_add(context.count);
        sum.bytes = sum.bytes.saturating_add(context.bytes);
    }
    sums
}

/// `com.acme.Shop$Order` of `Shop.java` is in `com/acme/Shop.java`.
fn file(class: &str, source_file: Option<&str>, sources: &SourceFinder<'_>) -> Option<String> {
    let name = source_file?;
    let path = match class.rsplit_once('.') {
        Some((package, _)) => format!("{}/{name}", package.replace('.', "/")),
        None => name.to_owned(),
    };
    sources(&path)
}
