//! Begins `events.live` for a run.

use std::sync::Arc;

use super::live_events::LiveEvents;
use crate::core::Core;

/// Creates the file in which events survive the process. If that fails, the trace says so.
pub(crate) fn begin(core: &Core) -> Option<Arc<LiveEvents>> {
    let begun = LiveEvents::begin(
        &core.directory,
        core.start_unix_millis,
        core.options.mapped_bytes(),
    );
    begun
        .inspect_err(|why| {
            core.add_note(format!(
                "If the JVM is killed, the events in its threads' buffers are lost: {why}."
            ));
        })
        .ok()
}
