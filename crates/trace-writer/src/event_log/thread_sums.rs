//! Sums of events, by thread. They are kept from piece to piece, since a thread's pieces have the same few hundred words: to hand out a sum
//! costs more than to add to it.
//!
//! A few threads have sums at the same time; another thread takes those of the one that had no piece for longest. Handed out
//! are the sums of a thread that ends, and all of them every [`EVERY`], and before the log's thread waits longer than that.

use std::time::{Duration, Instant};

use ducktrack_trace_format::ThreadId;

use super::noted_sums::NotedSums;
use super::pair_sums::PairSums;
use super::typed_sums::TypedSums;
use super::word_counts::WordCounts;

/// How long sums are kept.
pub(crate) const EVERY: Duration = Duration::from_millis(100);

/// How many threads have sums.
const MOST: usize = 6;

/// Sums of a thread that are not handed out yet.
#[derive(Debug)]
pub(crate) struct ThreadSums {
    /// Whose events they are.
    pub(crate) thread: ThreadId,
    /// Events of one word.
    pub(crate) words: WordCounts,
    /// Events that state their caller.
    pub(crate) pairs: PairSums,
    /// Events that state their class, where no mirror keeps their objects.
    pub(crate) typed: TypedSums,
    /// Other events that state their class.
    pub(crate) noted: NotedSums,
    /// Number of events in `words`, `pairs` and `typed`.
    pub(crate) events: usize,
}

impl ThreadSums {
    pub(crate) fn new(thread: ThreadId) -> Self {
        Self {
            thread,
            words: WordCounts::default(),
            pairs: PairSums::default(),
            typed: TypedSums::default(),
            noted: NotedSums::default(),
            events: 0,
        }
    }
}

/// The sums of the threads that had pieces last, the last one first.
#[derive(Debug, Default)]
pub(crate) struct SumsByThread {
    recent: Vec<ThreadSums>,
    since: Option<Instant>,
}

impl SumsByThread {
    /// Takes the sums of a thread for its next piece; [`SumsByThread::put`]
    /// gives them back. `hand_out` empties those that another thread has.
    pub(crate) fn take(
        &mut self,
        thread: ThreadId,
        hand_out: impl FnOnce(&mut ThreadSums),
    ) -> ThreadSums {
        let place = self.recent.iter().position(|sums| sums.thread == thread);
        let found = match place {
            Some(index) => Some(self.recent.remove(index)),
            None if self.recent.len() < MOST => None,
            None => self.recent.pop().map(|mut other| {
                hand_out(&mut other);
                other
            }),
        };
        let mut sums = found.unwrap_or_else(|| ThreadSums::new(thread));
        sums.thread = thread;
        sums
    }

    /// Keeps the sums of the thread that had the last piece.
    pub(crate) fn put(&mut self, sums: ThreadSums) {
        self.recent.insert(0, sums);
        self.since.get_or_insert_with(Instant::now);
    }

    /// The sums of the thread that had the last piece.
    pub(crate) fn last(&mut self) -> Option<&mut ThreadSums> {
        self.recent.first_mut()
    }

    /// Whether there may be something to hand out.
    pub(crate) fn has_some(&self) -> bool {
        self.since.is_some()
    }

    /// Whether sums were kept for long enough.
    pub(crate) fn are_due(&self) -> bool {
        self.since.is_some_and(|since| since.elapsed() >= EVERY)
    }

    /// All sums, to hand them out.
    pub(crate) fn take_all(&mut self) -> &mut [ThreadSums] {
        self.since = None;
        &mut self.recent
    }
}
