//! Measurements that have begun and not ended.
//!
//! ```text
//! platform thread   begin ── reading ─────────────────────────────────── reading ── end
//! virtual thread    begin ── reading ── pause (unmount) ── resume (mount) ─ … ── reading ── end
//! inside another    the outer one is paused from the inner one's end until its rows are read
//! ```

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use parking_lot::{Mutex, MutexGuard};
use rustc_hash::FxHashMap;

use super::difference::Difference;
use crate::threads::counter_block::{BlockValues, CounterBlock};

/// The key by which `DuckTrackMeasured` finds a thread.
pub(crate) type ThreadKey = i64;

/// Threads with open measurements. Permanent, because compiled code holds its address.
static OPEN_THREADS: AtomicU64 = AtomicU64::new(0);

/// The address of the number of threads with open measurements.
pub(crate) fn open_threads_address() -> usize {
    OPEN_THREADS.as_ptr() as usize
}

/// The open measurements of a run.
#[derive(Default)]
pub(crate) struct Measured {
    /// A measurement has begun in this run.
    begun: AtomicBool,
    /// Held while rewritten code is replaced.
    replacing: Mutex<()>,
    open: Mutex<FxHashMap<ThreadKey, Vec<Measurement>>>,
}

/// An open measurement.
struct Measurement {
    sum: Difference,
    scope: Scope,
}

enum Scope {
    /// The thread itself: the reading since when it counts; `None` while it is paused.
    Thread(Option<BlockValues>),
    /// All threads: a reading of each block.
    All(Readings),
}

/// A reading of each of some blocks.
pub(crate) type Readings = FxHashMap<usize, BlockValues>;

impl Measured {
    /// Begins a measurement of the thread that counts in `block`.
    pub(crate) fn begin(&self, thread: ThreadKey, block: CounterBlock, end: u32) {
        self.open_one(thread, Scope::Thread(Some(block.values(end))));
    }

    /// Begins a measurement of all threads, whose counters are `now`.
    pub(crate) fn begin_all(&self, thread: ThreadKey, now: Readings) {
        self.open_one(thread, Scope::All(now));
    }

    /// Whether rewritten code may be replaced by code with other probes, as long as the guard lives:
    /// not after the first measurement has begun. New code links its `invokedynamic` instructions
    /// again, and what the JDK allocates for that would be in measurements of the program.
    pub(crate) fn may_replace_code(&self) -> Option<MutexGuard<'_, ()>> {
        let guard = self.replacing.lock();
        (!self.begun.load(Ordering::Acquire)).then_some(guard)
    }

    /// Before the first reading: waits until code that is being replaced is in place.
    pub(crate) fn keep_code(&self) {
        if !self.begun.swap(true, Ordering::AcqRel) {
            drop(self.replacing.lock());
        }
    }

    fn open_one(&self, thread: ThreadKey, scope: Scope) {
        let sum = Difference::default();
        let mut open = self.open.lock();
        let measurements = open.entry(thread).or_default();
        if measurements.is_empty() {
            OPEN_THREADS.fetch_add(1, Ordering::AcqRel);
        }
        measurements.push(Measurement { sum, scope });
    }

    /// Ends the measurement begun last; pauses those around it. `all` reads the blocks of all threads.
    pub(crate) fn end(
        &self,
        thread: ThreadKey,
        block: CounterBlock,
        end: u32,
        all: impl FnOnce() -> Readings,
    ) -> Option<Difference> {
        let mut open = self.open.lock();
        let measurements = open.get_mut(&thread)?;
        pause(measurements, block, end);
        let Measurement { mut sum, scope } = measurements.pop()?;
        if measurements.is_empty() {
            open.remove(&thread);
            OPEN_THREADS.fetch_sub(1, Ordering::AcqRel);
        }
        if let Scope::All(before) = scope {
            let nothing = BlockValues::default();
            for (address, after) in all() {
                sum.add(before.get(&address).unwrap_or(&nothing), &after);
            }
            sum.settle();
        }
        Some(sum)
    }

    /// The thread no longer counts for its measurements.
    pub(crate) fn pause(&self, thread: ThreadKey, block: CounterBlock, end: u32) {
        if let Some(measurements) = self.open.lock().get_mut(&thread) {
            pause(measurements, block, end);
        }
    }

    /// It counts for them again, in this block.
    pub(crate) fn resume(&self, thread: ThreadKey, block: CounterBlock, end: u32) {
        if let Some(measurements) = self.open.lock().get_mut(&thread) {
            for measurement in measurements {
                if let Scope::Thread(since @ None) = &mut measurement.scope {
                    *since = Some(block.values(end));
                }
            }
        }
    }
}

fn pause(measurements: &mut [Measurement], block: CounterBlock, end: u32) {
    let now = block.values(end);
    for measurement in measurements {
        if let Scope::Thread(since) = &mut measurement.scope
            && let Some(before) = since.take()
        {
            measurement.sum.add(&before, &now);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::threads::counter_block::{FIRST_COUNTER, KeyedEntry};

    const END: u32 = FIRST_COUNTER + 8;

    fn count(block: CounterBlock, amount: u64) {
        let mut values = block.values(END);
        let before = values.counters.first().map_or(0, |(_, value)| *value);
        values.counters = vec![(FIRST_COUNTER, before + amount)];
        block.take_values(&values);
        block.add_keyed(KeyedEntry {
            call_site: 0,
            site: 16,
            klass: 0,
            count: amount,
            bytes: 0,
        });
    }

    fn counted(measured: &Measured, thread: ThreadKey, block: CounterBlock) -> (u64, u64) {
        let sum = measured.end(thread, block, END, Readings::default);
        let sum = sum.expect("an open measurement");
        let counter = sum.counters.get(&FIRST_COUNTER).copied();
        let keyed = sum.keyed.get(&(0, 16, 0)).map(|(count, _)| *count);
        (counter.unwrap_or(0), keyed.unwrap_or(0))
    }

    #[test]
    fn a_thread_that_changes_its_block_is_followed() {
        let [first, second] = [(); 2].map(|()| CounterBlock::new().expect("memory"));
        let measured = Measured::default();
        count(first, 100);
        measured.begin(-7, first, END);
        count(first, 3);
        measured.pause(-7, first, END);
        count(first, 1000);
        count(second, 1000);
        measured.resume(-7, second, END);
        count(second, 4);
        assert_eq!(counted(&measured, -7, second), (7, 7));
        assert!(measured.end(-7, second, END, Readings::default).is_none());
    }

    #[test]
    fn reading_rows_belongs_to_no_measurement_around() {
        let block = CounterBlock::new().expect("memory");
        let measured = Measured::default();
        measured.begin(1, block, END);
        count(block, 1);
        measured.begin(1, block, END);
        count(block, 2);
        assert_eq!(counted(&measured, 1, block), (2, 2));
        count(block, 500);
        measured.resume(1, block, END);
        count(block, 4);
        measured.resume(1, block, END);
        assert_eq!(counted(&measured, 1, block), (7, 7));
    }
}
