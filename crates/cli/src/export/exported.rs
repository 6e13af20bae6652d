//! The input of exporters, from a view.

use ducktrack_count_model::Tally;
use ducktrack_exports::Export;
use ducktrack_reports::View;

/// The whole time of the view.
pub(super) fn exported<'a>(view: &'a View, live: Option<&'a [Tally]>) -> Export<'a> {
    Export {
        profile: &view.stacks,
        live,
        name: &view.run.command,
        pid: view.run.pid,
        start_unix_millis: view.run.start_unix_millis,
        duration_millis: view.duration_millis().unwrap_or(0),
    }
}
