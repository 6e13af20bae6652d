//! Values to disk: all blocks are read, while their threads go on, and what is new in the dictionary goes first.

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

    /// Sites whose classes are prepared by now have a size.
    pub(crate) fn find_site_sizes(&self) {
        let prepared = &self.instrumentation.prepared;
        prepared.find_site_sizes(&self.core, &*self.recording);
    }

    /// Writes the last word.
    pub(crate) fn end_trace(&self, cause: &str) {
        let mut losses = self.core.losses();
        losses.extend(self.natives.losses());
        losses.extend(self.recording.losses(&self.core));
        self.core.end_trace(cause, losses);
    }
}

/// Frames that run will not be heard of again after the snapshot that ends the recording.
fn is_last(cause: &str) -> bool {
    matches!(cause, "exit" | "stop")
}
