//! Batches of records that follow each other as the blocks of a stream do: each begins at the time and thread at which the one
//! before ended.

use ducktrack_merlin::{BlockRecords, Record, ThreadId, Time};

/// Where the last batch ended.
#[derive(Default)]
pub(crate) struct Consecutive {
    time: Time,
    thread: ThreadId,
}

impl Consecutive {
    /// The next batch; `at` is its place in the source.
    pub(crate) fn block(&mut self, at: u64, records: Vec<Record>) -> BlockRecords {
        let (time, thread) = (self.time, self.thread);
        for record in &records {
            match record {
                Record::Thread(thread) => self.thread = *thread,
                Record::Tick { advance, .. } => self.time = self.time.saturating_add(*advance),
                record => self.time += u64::from(record.is_event()),
            }
        }
        BlockRecords {
            at,
            time,
            end_time: self.time,
            thread,
            records,
        }
    }
}
