//! The allocations of application code, and of other code that it calls, after the filter.

use ducktrack_count_model::{CauseRow, CountModel, Tally};

use crate::filter::{Filter, Sort};
use crate::view::{Caller, CauseView, Caused, SiteRow, View};

/// `None` where it was not recorded, or not for what the filter keeps: calls are not split by type or thread.
pub(crate) fn caused(
    model: &CountModel,
    filter: &Filter,
    callers: &[Caller],
    sites: &[SiteRow],
) -> Option<Caused> {
    let application = model.causes.application.as_ref()?;
    if !filter.types.is_empty() || !filter.threads.is_empty() {
        return None;
    }
    let is_wanted = |class: &str| {
        filter.wants_class(class)
            && (!filter.only.is_empty() || application.contains(&class.replace('.', "/")))
    };
    let own = sites
        .iter()
        .filter(|site| is_wanted(&site.location.class))
        .map(|site| site.executed)
        .sum();
    let view = |row: &CauseRow| CauseView {
        caller: callers.get(row.call.get()).cloned().unwrap_or_default(),
        inclusive: row.inclusive,
        charged: row.charged,
    };
    let brought = model
        .causes
        .rows
        .iter()
        .filter(|row| !row.inclusive.is_zero());
    let mut calls: Vec<CauseView> = brought
        .map(view)
        .filter(|call| filter.wants_class(&call.caller.location.class))
        .collect();
    sort(&mut calls, filter.sort);
    let mut patterns = application.patterns.clone();
    if application.unnamed_package {
        patterns.push("(classes without a package)".to_owned());
    }
    Some(Caused {
        application: patterns,
        own,
        charged: calls.iter().map(|call| call.charged).sum(),
        no_call: model.causes.no_call,
        calls,
    })
}

fn sort(calls: &mut [CauseView], sort: Sort) {
    let size = |tally: &Tally| match sort {
        Sort::Bytes => (tally.bytes, tally.count),
        Sort::Count => (tally.count, tally.bytes),
    };
    calls.sort_by(|a, b| {
        let key = |call: &CauseView| (size(&call.charged), size(&call.inclusive));
        let place = |call: &CauseView| call.caller.to_string();
        key(b).cmp(&key(a)).then_with(|| place(a).cmp(&place(b)))
    });
}

/// The application, or the part of it that was asked for.
pub(crate) fn of_what(view: &View, caused: &Caused) -> String {
    match view.filter.only.as_slice() {
        [] => caused.application.join(", "),
        only => only.join(", "),
    }
}
