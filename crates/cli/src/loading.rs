//! Trace directory to counts. Where a traced run could not write its own (it was killed, or runs), its events are added up.

use std::path::Path;

use anyhow::{Result, bail};
use ducktrack_analyses::{LifetimeTallies, Lifetimes, Lives};
use ducktrack_count_model::{CallIndex, CountModel, EventCount, SiteIndex, Tally};

use crate::arriving::check_arrived;
use crate::records::{load_records, load_records_of};
use crate::trace_loading::load_trace;
use crate::window_args::WindowArgs;

/// Reads a whole trace, and keeps what was counted in some windows.
///
/// # Errors
/// Also where a window is not in the run.
pub(crate) fn load_windows(path: &Path, windows: &WindowArgs) -> Result<CountModel> {
    let Some(choice) = windows.choice() else {
        let model = load_records(path)?.finish();
        check_arrived(&model, path)?;
        return match lacks_counts(&model) {
            true => count_events(path),
            false => Ok(model),
        };
    };
    let model = load_records_of(path, choice)?.finish();
    check_arrived(&model, path)?;
    if lacks_counts(&model) {
        bail!(
            "{}: this run ended before it wrote the counts of its windows; leave out --window, --from and --until",
            path.display()
        );
    }
    windows.check(&model, &path.display().to_string())?;
    Ok(model)
}

/// A traced run writes its counts when it ends.
fn lacks_counts(model: &CountModel) -> bool {
    model.run.mode.has_events() && model.end.is_none() && model.snapshots.is_empty()
}

fn count_events(path: &Path) -> Result<CountModel> {
    let (trace, lifetimes) = load_trace(path, LifetimeTallies::default())?;
    Ok(with_counts(trace.count, &lifetimes))
}

/// Where a trace lacks counts, with those of its events.
pub(crate) fn with_counts(mut count: CountModel, lifetimes: &Lifetimes) -> CountModel {
    if lacks_counts(&count) {
        count.count_events(event_counts(lifetimes));
    }
    count
}

fn event_counts(lifetimes: &Lifetimes) -> impl Iterator<Item = EventCount> {
    lifetimes.sites.iter().flat_map(|row| {
        let by_caller = row
            .callers
            .iter()
            .map(|caller| (caller.call, &caller.lives));
        let whole = row.callers.is_empty().then_some((None, &row.lives));
        let parts = by_caller.chain(whole);
        parts.filter_map(|(call, lives)| Some(event_count(row.site?, call, lives)))
    })
}

fn event_count(site: SiteIndex, call: Option<CallIndex>, lives: &Lives) -> EventCount {
    let whole = |number| i64::try_from(number).unwrap_or(i64::MAX);
    EventCount {
        site,
        call,
        reached_heap: Tally {
            count: whole(lives.allocated.count),
            bytes: whole(lives.allocated.bytes),
        },
        eliminated: whole(lives.eliminated),
    }
}
