//! The events of all threads in an epoch, and which thread allocates what.

use ducktrack_trace_format::{Event, EventBlock, FormatError, Place, SiteFacts, ThreadId};
use rustc_hash::FxHashMap;

use crate::thread_queue::ThreadQueue;

/// A place in the list of threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct QueueIndex(usize);

/// Queues of threads.
#[derive(Debug, Default)]
pub struct EpochQueues {
    /// `None`: the queue is being read.
    queues: Vec<Option<ThreadQueue>>,
    places: FxHashMap<ThreadId, QueueIndex>,
    /// Threads with events in this epoch.
    active: Vec<QueueIndex>,
    /// Made when it is asked for.
    births: Option<Births>,
}

impl EpochQueues {
    /// Adds the content of a block.
    ///
    /// # Errors
    /// When its head does not decode.
    pub fn push(&mut self, content: &[u8]) -> Result<(), FormatError> {
        let thread = EventBlock::decode(content)?.header.thread;
        let next = QueueIndex(self.queues.len());
        let at = *self.places.entry(thread).or_insert(next);
        if at == next {
            self.queues.push(Some(ThreadQueue::new(thread)));
        }
        if let Some(Some(queue)) = self.queues.get_mut(at.0) {
            if queue.next_time().is_none() {
                self.active.push(at);
            }
            queue.push(content.to_vec());
        }
        Ok(())
    }

    /// The threads with events, each with its first moment; the epoch is to be read.
    pub fn begin(&mut self) -> Vec<(u64, QueueIndex)> {
        self.births = None;
        let active = std::mem::take(&mut self.active);
        let timed = active
            .into_iter()
            .filter_map(|at| Some((self.next_time(at)?, at)));
        timed.collect()
    }

    /// The moment of what comes next in a queue.
    pub fn next_time(&self, at: QueueIndex) -> Option<u64> {
        self.queues.get(at.0)?.as_ref()?.next_time()
    }

    /// Takes a queue, to read it; `None`: it is being read.
    pub fn take(&mut self, at: QueueIndex) -> Option<ThreadQueue> {
        self.queues.get_mut(at.0)?.take()
    }

    /// Gives a queue back.
    pub fn put_back(&mut self, at: QueueIndex, queue: ThreadQueue) {
        if let Some(place) = self.queues.get_mut(at.0) {
            *place = Some(queue);
        }
    }

    /// The thread that will allocate the object at this address.
    pub fn owner<F: SiteFacts>(&mut self, address: u64, facts: &F) -> Option<QueueIndex> {
        let queues = &self.queues;
        let births = self.births.get_or_insert_with(|| Births::of(queues, facts));
        births.owner(address)
    }
}

/// Where each thread allocates: stretches of objects one after the other.
#[derive(Debug, Default)]
struct Births {
    /// Start, end and thread, by start.
    stretches: Vec<(u64, u64, QueueIndex)>,
}

impl Births {
    fn of<F: SiteFacts>(queues: &[Option<ThreadQueue>], facts: &F) -> Self {
        let mut births = Self::default();
        for (at, queue) in queues.iter().enumerate() {
            if let Some(queue) = queue {
                queue.for_each_left(facts, |event| births.add(event, QueueIndex(at)));
            }
        }
        births.stretches.sort_unstable();
        births
    }

    fn add(&mut self, event: &Event, thread: QueueIndex) {
        let Event::Allocation(allocation) = event else {
            return;
        };
        let bytes = allocation.bytes.unwrap_or(0);
        let (start, end) = match allocation.place {
            Place::End(end) => (end.wrapping_sub(bytes), end),
            Place::Outside(Some(start)) => (start, start.wrapping_add(bytes)),
            _ => return,
        };
        match self.stretches.last_mut() {
            Some(last) if last.1 == start && last.2 == thread => last.1 = end,
            _ => self.stretches.push((start, end, thread)),
        }
    }

    fn owner(&self, address: u64) -> Option<QueueIndex> {
        let after = self
            .stretches
            .partition_point(|stretch| stretch.0 <= address);
        let stretch = self.stretches.get(after.checked_sub(1)?)?;
        (address < stretch.1).then_some(stretch.2)
    }
}
