//! Splits a snapshot into records that fit a block.
//!
//! Thousands of threads with thousands of counters each can exceed the size of a block. Such a snapshot is written in
//! parts, all but the last with [`Snapshot::more`]; a reader uses either all parts or none.

use ducktrack_trace_format::{BlockKind, KeyedCount, Record, Snapshot, ThreadCounts, push_record};

use crate::WriteError;
use crate::trace_file::TraceFile;

/// Most bytes of a pair of counter and value.
const COUNTER_BYTES: usize = 5 + 10;

/// Most bytes of a key without its type.
const KEY_BYTES: usize = 5 + 6 + 1 + 5 + 10 + 10;

/// Most bytes of a thread without its values.
const THREAD_BYTES: usize = 5 + 11 + 5 + 5;

/// Splits a snapshot so that no part has more than about `limit` bytes of values (but at least one value in each).
pub(crate) fn snapshot_parts(snapshot: Snapshot, limit: usize) -> Vec<Snapshot> {
    let outline = Snapshot {
        threads: Vec::new(),
        shared: Vec::new(),
        cause: snapshot.cause.clone(),
        more: true,
        ..snapshot
    };
    let mut parts = Parts {
        done: Vec::new(),
        open: outline.clone(),
        outline,
        open_bytes: 0,
        limit,
    };
    for pair in snapshot.shared {
        parts.make_room(COUNTER_BYTES);
        parts.open.shared.push(pair);
    }
    for thread in snapshot.threads {
        parts.push_thread(thread);
    }
    parts.finish()
}

struct Parts {
    outline: Snapshot,
    done: Vec<Snapshot>,
    open: Snapshot,
    open_bytes: usize,
    limit: usize,
}

impl Parts {
    /// Reserves `bytes` in the open part, or closes it and starts another. True when another was started.
    fn make_room(&mut self, bytes: usize) -> bool {
        let full = self.open_bytes > 0 && self.open_bytes + bytes > self.limit;
        if full {
            let fresh = self.outline.clone();
            self.done.push(std::mem::replace(&mut self.open, fresh));
            self.open_bytes = 0;
        }
        self.open_bytes += bytes;
        full
    }

    fn push_thread(&mut self, thread: ThreadCounts) {
        let id = thread.thread;
        let rest = move || ThreadCounts {
            thread: id,
            vm_allocated_bytes: None,
            counters: Vec::new(),
            keyed: Vec::new(),
        };
        self.make_room(THREAD_BYTES);
        let mut open = ThreadCounts {
            vm_allocated_bytes: thread.vm_allocated_bytes,
            ..rest()
        };
        for pair in thread.counters {
            self.continue_thread(&mut open, COUNTER_BYTES, &rest);
            open.counters.push(pair);
        }
        for keyed in thread.keyed {
            self.continue_thread(&mut open, keyed_bytes(&keyed), &rest);
            open.keyed.push(keyed);
        }
        self.open.threads.push(open);
    }

    /// Like [`Parts::make_room`]; when that closes a part, the thread's values so far go into the closed part.
    fn continue_thread(
        &mut self,
        open: &mut ThreadCounts,
        bytes: usize,
        rest: &impl Fn() -> ThreadCounts,
    ) {
        if self.make_room(bytes)
            && let Some(closed) = self.done.last_mut()
        {
            closed.threads.push(std::mem::replace(open, rest()));
            self.open_bytes += THREAD_BYTES;
        }
    }

    fn finish(mut self) -> Vec<Snapshot> {
        self.open.more = false;
        self.done.push(self.open);
        self.done
    }
}

fn keyed_bytes(keyed: &KeyedCount) -> usize {
    KEY_BYTES + keyed.ty.as_ref().map_or(0, |ty| 5 + ty.len())
}

/// Appends a snapshot, in as many parts as it needs.
pub(crate) fn write_parts(
    file: &mut TraceFile,
    snapshot: Snapshot,
    part_bytes: usize,
) -> Result<(), WriteError> {
    for part in snapshot_parts(snapshot, part_bytes) {
        let mut content = Vec::new();
        push_record(&Record::Snapshot(part), &mut content)?;
        file.append(BlockKind::VALUES, &content)?;
    }
    Ok(())
}
