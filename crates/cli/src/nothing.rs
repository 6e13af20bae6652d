//! A filter that keeps nothing says so, on standard error: an empty table looks like a run without allocations.

use ducktrack_reports::View;

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
        eprintln!(
            "ducktrack: nothing of this run fits {}; without it there are {} sites",
            view.filter.description(),
            view.totals.sites
        );
    }
}
