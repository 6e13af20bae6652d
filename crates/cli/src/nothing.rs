//! A filter that keeps nothing is named on standard error: an empty table looks like a run without allocations.

use ducktrack_count_model::CountModel;
use ducktrack_reports::{Filter, View, fits_any_site};

/// Names the filter, where the run allocates and the filter keeps nothing of it.
pub(crate) fn mention(view: &View) {
    let causes = view
        .caused
        .as_ref()
        .is_some_and(|caused| !caused.calls.is_empty());
    if view.filter.is_partial()
        && view.sites.is_empty()
        && !causes
        && !view.totals.executed.is_zero()
    {
        say(&view.filter, view.totals.sites);
    }
}

/// The same for reports on the events of a run: they are of its sites.
pub(crate) fn mention_of_run(run: &CountModel, filter: &Filter) {
    if filter.is_partial() && !run.sites.is_empty() && !fits_any_site(run, filter) {
        say(filter, run.sites.len());
    }
}

/// The same where nothing is known but how many places there were without the filter.
pub(crate) fn say(filter: &Filter, without: usize) {
    eprintln!(
        "ducktrack: nothing of this run fits {}; without it there are {without} sites",
        filter.description()
    );
}
