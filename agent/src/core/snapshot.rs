//! Writes values to disk: reads all blocks while their threads continue to run; new definitions come first.

use ducktrack_jvmti::Jni;

use crate::agent::Agent;
use crate::classes::running_frames::{add_owed, owed_by_running_frames};

impl Agent {
    /// Writes a snapshot.
    pub(crate) fn snapshot(&self, jni: Jni, cause: &str) {
        let core = &self.core;
        self.find_site_sizes();
        core.write_snapshot(
            cause,
            |snapshot| {
                if is_last(cause) {
                    add_owed(&mut snapshot.threads, &owed_by_running_frames(core, jni));
                }
            },
            || self.stacks.stack_records(),
        );
    }

    /// Finds the sizes of sites whose classes are prepared by now.
    pub(crate) fn find_site_sizes(&self) {
        let prepared = &self.instrumentation.prepared;
        prepared.find_site_sizes(&self.core, &*self.recording);
    }

    /// Ends the trace.
    pub(crate) fn end_trace(&self, cause: &str) {
        let mut losses = self.core.losses();
        losses.extend(self.natives.losses());
        losses.extend(self.recording.losses(&self.core));
        self.core.end_trace(cause, losses);
    }
}

/// Whether the snapshot ends the recording, so that running frames cannot settle their debts later.
fn is_last(cause: &str) -> bool {
    matches!(cause, "exit" | "stop")
}
