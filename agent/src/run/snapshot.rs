//! Writes values to disk: reads all blocks while their threads continue to run; new definitions come first.

use ducktrack_jvmti::Jni;
use ducktrack_trace_format::Snapshot;

use crate::classes::running_frames::{add_owed, owed_by_running_frames};
use crate::contexts::{self, Contexts};
use crate::run::agent::Agent;

impl Agent {
    /// Writes a snapshot while the recording continues.
    pub(crate) fn snapshot(&self, cause: &str) {
        self.write_snapshot(cause, |_| {});
    }

    /// Writes the snapshot that ends the recording: running frames cannot settle their debts later.
    pub(crate) fn last_snapshot(&self, jni: Jni, cause: &str) {
        self.write_snapshot(cause, |snapshot| {
            add_owed(
                &mut snapshot.threads,
                &owed_by_running_frames(&self.core, jni),
            );
        });
    }

    fn write_snapshot(&self, cause: &str, complete: impl FnOnce(&mut Snapshot)) {
        self.find_site_sizes();
        self.core.write_snapshot(cause, complete, || {
            let mut records = self.stacks.stack_records();
            let contexts = contexts::of_recording(&self.core);
            records.extend(contexts.map(Contexts::records).into_iter().flatten());
            records
        });
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
        let contexts = contexts::of_recording(&self.core);
        losses.extend(contexts.map(Contexts::losses).into_iter().flatten());
        let notes = contexts.and_then(Contexts::notes);
        let sentences = self.instrumentation.contexts.sentences();
        let of_classes = self.core.chosen.sentences();
        for sentence in sentences.into_iter().chain(notes).chain(of_classes) {
            self.core.add_note(sentence);
        }
        losses.extend(self.recording.state(&self.core).losses);
        self.core.end_trace(cause, losses);
    }
}
