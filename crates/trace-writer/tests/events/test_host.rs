//! The agent's side of the log, for tests.

use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use ducktrack_count_model::TraceNames;
use ducktrack_test_support::naive_vm::{THREADS, names};
use ducktrack_trace_format::{Event, Place, ThreadId};
use ducktrack_trace_writer::{EqualEvents, EventHost, EventSum, Tally};

/// The sites of the naive machine.
pub(crate) fn facts() -> Arc<TraceNames> {
    Arc::new(names(THREADS).1)
}

/// Stands in for the agent.
#[derive(Default)]
pub(crate) struct Host {
    pub(crate) wanted: AtomicU64,
    pub(crate) said: Mutex<Vec<String>>,
}

impl EventHost for Host {
    fn want_collection(&self) {
        self.wanted.fetch_add(1, Ordering::SeqCst);
    }

    fn say(&self, line: &str) {
        self.said.lock().unwrap().push(line.to_owned());
    }
}

/// Numbers of objects on the heap and of eliminated ones, and bytes in gaps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sums {
    pub(crate) on_heap: u64,
    pub(crate) eliminated: u64,
    pub(crate) gap_bytes: u64,
}

/// A tally that tests can read.
#[derive(Clone, Default)]
pub(crate) struct SharedTally(pub(crate) Arc<Mutex<Sums>>);

impl Tally for SharedTally {
    fn add(&mut self, _thread: ThreadId, event: &Event) {
        let mut sums = self.0.lock().unwrap();
        match event {
            Event::Allocation(allocation) => match allocation.place {
                Place::Eliminated => sums.eliminated += 1,
                Place::Straddler { .. } => panic!("a straddler was not settled"),
                _ => sums.on_heap += 1,
            },
            Event::Gap { bytes } => sums.gap_bytes += bytes,
            _ => {}
        }
    }

    fn add_sum(&mut self, _thread: ThreadId, _alike: &EqualEvents, sum: &EventSum) {
        let mut sums = self.0.lock().unwrap();
        sums.on_heap += sum.on_heap;
        sums.eliminated += sum.executed - sum.on_heap;
    }
}
