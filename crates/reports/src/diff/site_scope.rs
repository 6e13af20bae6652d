//! A gate for a site: what methods of a name allocate, and what libraries
//! allocate for their calls where the caller is known. Exact in every run.

use super::gate::SiteScope;
use super::matching::Placed;
use crate::json::{AmountDoc, CallerDoc, Document, SiteDoc};

/// Whether objects of a run are those of the site.
pub(super) fn has_site(document: &Document, scope: &SiteScope) -> bool {
    let is_there = |site: &SiteDoc| at_site(site, scope) != AmountDoc::default();
    document.sites.iter().any(is_there)
}

/// All of a site of the methods; of another one, the part of which their calls are the cause.
pub(super) fn at_site(site: &SiteDoc, scope: &SiteScope) -> AmountDoc {
    if scope.has(&site.class, &site.method) {
        return site.amount();
    }
    let mut sum = AmountDoc::default();
    for context in &site.context {
        if is_caller(&context.caller, scope) {
            sum.count = sum.count.saturating_add(context.count);
            sum.bytes = sum.bytes.saturating_add(context.bytes);
        }
    }
    sum
}

fn is_caller(caller: &CallerDoc, scope: &SiteScope) -> bool {
    match (&caller.class, &caller.method) {
        (Some(class), Some(method)) => scope.has(class, method),
        _ => false,
    }
}
