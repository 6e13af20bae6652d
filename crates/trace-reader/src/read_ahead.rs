//! Reads the files on a thread of its own while the caller works on the steps before.
//!
//! ```text
//! thread of the reader   | blocks, survivors matched: epoch 2 | epoch 3 ...
//! thread of the caller   | replay: epoch 1                    | epoch 2 ...
//! ```
//!
//! The reader is one epoch ahead; it waits while the caller works on a large
//! one, so that the lists of two large collections are never there at a time.

use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread;

use crate::EventFiles;
use crate::event_step::EventStep;

/// An epoch with more survivors is large: their lists take 200 MB on either side.
const MOST_SURVIVORS: usize = 2 << 20;
/// Most steps that are handed over together.
const MOST_STEPS: usize = 64;

/// Steps, the last of which mostly is an epoch.
#[derive(Default)]
struct Batch {
    steps: Vec<EventStep>,
    bytes_read: u64,
}

impl EventFiles {
    /// Hands out all steps that are left, in order, each with [`bytes_read`](Self::bytes_read) up to about there.
    pub fn read_ahead(&mut self, mut take: impl FnMut(EventStep, u64)) {
        thread::scope(|scope| {
            // Without a place for a batch: who gives one waits until it is taken.
            let (give, batches) = sync_channel(0);
            scope.spawn(move || self.hand_out(&give));
            for Batch { steps, bytes_read } in batches {
                steps.into_iter().for_each(|step| take(step, bytes_read));
            }
        });
    }

    /// Ends early where nobody takes the steps any more.
    fn hand_out(&mut self, give: &SyncSender<Batch>) -> Option<()> {
        let mut batch = Batch::default();
        while let Some(step) = self.next_step() {
            let survivors = match &step {
                EventStep::Epoch(epoch) => Some(epoch.runs.len()),
                _ => None,
            };
            batch.steps.push(step);
            if survivors.is_some() || batch.steps.len() >= MOST_STEPS {
                batch.bytes_read = self.bytes_read();
                give.send(core::mem::take(&mut batch)).ok()?;
            }
            if survivors > Some(MOST_SURVIVORS) {
                // It is taken when the epoch is done.
                give.send(Batch::default()).ok()?;
            }
        }
        batch.bytes_read = self.bytes_read();
        give.send(batch).ok()
    }
}
