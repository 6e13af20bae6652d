//! `staleness=`: objects used since the last collection. The program's code stamps them; pauses read the stamps.
//!
//! ```text
//! program's code: uses an object ── clock ──> the object's word in the shadow
//! VM thread:      collection over ── words of old objects ──> block USES before the collection's block
//!                                 ── clock + 1
//! ```
//!
//! The clock is the number of collections so far, plus one; 0 means that the object was not used. Words are never cleared. A stamp older
//! than the object's arrival at its address belongs to an earlier object, which the trace's reader can determine.
//!
//! New objects are not read: an object allocated since the last collection was used since. Objects in collected memory are always read,
//! because they move. All others are read in every pause too, as long as that takes little time; otherwise only from time to time, and in
//! between the trace does not know their uses.

pub(crate) mod use_helper;
pub(crate) mod use_memory;

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use ducktrack_class_rewriter::Stamps;
use ducktrack_hotspot::{
    Address, AddressRange, CollectionReport, Shadow, ShadowedHeap, Space, SpaceKind,
};
use ducktrack_jvmti::Jni;
use ducktrack_jvmti::sys::jobject;
use ducktrack_probe_vocabulary::helper::uses;
use ducktrack_trace_format::{UseEncoder, UsesHead};
use parking_lot::Mutex;

use crate::core::Core;
use crate::options::{ClassPattern, Staleness};
use crate::process::thread_clock::thread_cpu;
use crate::recording::Probes;
use crate::threads::counter_block::CounterBlock;
use crate::trace::buffers::ThreadBuffers;
use crate::trace::collections::before_collection::BeforeCollection;
use crate::trace::layer::{Layer, LayerStart};
use crate::trace::use_clock::{clock_of, epoch_of};
use use_helper::UseConstants;
use use_memory::UseMemory;

/// Between two readings of all objects, at least this many times the duration of one must pass.
const MOST_OF_THE_TIME: u32 = 20;

/// The layer.
#[derive(Default)]
pub(crate) struct Uses(OnceLock<UseStamps>);

impl Layer for Uses {
    fn begin(&'static self, start: &LayerStart<'_>) -> bool {
        let address = |object| start.address(object);
        let prepare = |heap| UseStamps::prepare(start.core, start.jni, heap, address);
        match start.shadowed.map_err(str::to_owned).and_then(prepare) {
            Ok(uses) => {
                (start.uses_begin)(uses.shadow, uses.clock);
                // A run begins once.
                let _ = self.0.set(uses);
                true
            }
            Err(why) => {
                let sentence = format!("Uses of objects are not recorded: {why}.");
                start.core.add_note(sentence);
                false
            }
        }
    }

    fn add_probes(&self, probes: &mut Probes) {
        if let Some(uses) = self.0.get() {
            uses.add_probes(probes);
        }
    }

    fn read_pause(
        &self,
        _: &ThreadBuffers,
        reports: &[CollectionReport],
        before: &mut BeforeCollection,
    ) {
        if let Some(uses) = self.0.get() {
            before.uses = uses.read(reports);
        }
    }

    fn pause_ends(&self, _: &Core, epoch: u32) {
        if let Some(uses) = self.0.get() {
            uses.advance(epoch);
        }
    }
}

/// The stamps of the program's uses.
pub(crate) struct UseStamps {
    shadow: Shadow,
    clock: &'static AtomicU64,
    /// Only code of these classes stamps; `None`: all code.
    stamped: Option<ClassPattern>,
    reading: Mutex<Reading>,
}

/// How far the words have been read.
struct Reading {
    /// The clock when all objects were last read. Stamps since then are larger.
    all_until: u64,
    /// The time of that reading, and the CPU time it took. CPU time, because on a busy machine a thread that waits for a core costs the
    /// program nothing.
    last: Option<(Instant, Duration)>,
}

impl UseStamps {
    /// Prepares everything that stamps need, before classes are rewritten. `address` finds a live object, where the
    /// collector moves none while the program runs.
    ///
    /// # Errors
    /// One sentence that says why there can be no stamps.
    pub(crate) fn prepare(
        core: &Core,
        jni: Jni,
        heap: &ShadowedHeap,
        address: impl Fn(jobject) -> Option<Address>,
    ) -> Result<Self, String> {
        let memory = UseMemory::of_process();
        let stamped = match &core.options.staleness {
            Staleness::CodeOf(pattern) => Some(pattern.clone()),
            Staleness::On | Staleness::Off => None,
        };
        let uses = Self::begin(memory, heap, core.shared, stamped)?;
        let address = |object| match heap {
            ShadowedHeap::Plain(_) => address(object),
            ShadowedHeap::Views(views) => Some(views.in_first(use_memory::seen_at(object))),
        };
        let constants = || UseConstants {
            distance: uses.shadow.distance(),
            clock: std::ptr::from_ref(uses.clock).expose_provenance(),
            hints: use_helper::define_hints(jni),
        };
        memory.define_once(constants, || {
            use_helper::define_and_try(jni, &uses.shadow, || uses.now(), address)
        })?;
        if memory.constants().is_some_and(|constants| !constants.hints) {
            core.add_note(
                "Uses of arrays of references cost more in this VM: the compiler cannot be told their type."
                    .to_owned(),
            );
        }
        Ok(uses)
    }

    /// Starts stamping in an empty shadow of the heap. The clock is in the shared block, whose address is a small constant.
    ///
    /// # Errors
    /// One sentence that says why there can be no stamps.
    fn begin(
        memory: &UseMemory,
        heap: &ShadowedHeap,
        shared: CounterBlock,
        stamped: Option<ClassPattern>,
    ) -> Result<Self, String> {
        let clock = shared.use_clock();
        // Must come before the shadow is cleared, because code of an earlier run may still stamp.
        clock.store(1, Ordering::Release);
        let shadow = memory.empty_shadow(heap)?;
        Ok(Self {
            shadow: *shadow,
            clock,
            stamped,
            reading: Mutex::new(Reading {
                all_until: 0,
                last: None,
            }),
        })
    }

    /// Adds the probes of code that stamps.
    pub(crate) fn add_probes(&self, probes: &mut Probes) {
        probes.helpers.push(uses::CLASS);
        probes.stamps = Stamps::Uses;
        probes.stamped.clone_from(&self.stamped);
    }

    /// The word of the object at an address.
    pub(crate) fn word(&self, object: Address) -> u64 {
        self.shadow.stamp(object)
    }

    /// Replaces the word of the object at an address if it still is `expected`.
    pub(crate) fn exchange_word(&self, object: Address, expected: u64, new: u64) -> bool {
        self.shadow.exchange(object, expected, new)
    }

    pub(crate) fn now(&self) -> u64 {
        self.clock.load(Ordering::Acquire)
    }

    /// The uses before these collections, which form one pause, as contents of trace blocks. The world is stopped, and the program has not
    /// run since the first of them began.
    pub(crate) fn read(&self, reports: &[CollectionReport]) -> Vec<Vec<u8>> {
        let Some(first) = reports.first() else {
            return Vec::new();
        };
        let (start, begun) = (Instant::now(), thread_cpu());
        let mut reading = self.reading.lock();
        let all = reading.may_look_at_all(start);
        let collected = reports.iter().flat_map(|report| &report.collected);
        let collected = merged(collected.copied().collect());
        let now = self.now();
        let mut encoder = UseEncoder::new(UsesHead {
            epoch: epoch_of(now),
            all,
        });
        let least = reading.all_until + 1;
        for space in first.before.iter().filter(|space| holds_old_objects(space)) {
            let ranges = match all {
                true => vec![range_of(space)],
                false => parts_of(space, &collected),
            };
            for range in ranges {
                self.shadow
                    .newer(range.start, range.end, least, |object, stamp| {
                        // A stamp from the future is not a stamp.
                        if stamp <= now {
                            encoder.push(object.0 as u64, epoch_of(stamp));
                        }
                    });
            }
        }
        if all {
            reading.all_until = now;
            reading.last = Some((start, thread_cpu().saturating_sub(begun)));
        }
        encoder.finish()
    }

    /// Advances the clock after a pause, before the world continues.
    pub(crate) fn advance(&self, epoch: u32) {
        self.clock.store(clock_of(epoch), Ordering::Release);
    }
}

impl Reading {
    fn may_look_at_all(&self, now: Instant) -> bool {
        self.last.is_none_or(|(at, took)| {
            now.saturating_duration_since(at) >= took.saturating_mul(MOST_OF_THE_TIME)
        })
    }
}

/// Whether the space holds old objects. The uses of new ones do not matter.
fn holds_old_objects(space: &Space) -> bool {
    !matches!(
        space.kind,
        SpaceKind::Eden | SpaceKind::To | SpaceKind::Free
    )
}

fn range_of(space: &Space) -> AddressRange {
    AddressRange {
        start: space.bottom,
        end: space.top,
    }
}

/// Sorts the ranges, and merges those that touch or overlap.
fn merged(mut ranges: Vec<AddressRange>) -> Vec<AddressRange> {
    ranges.sort_unstable_by_key(|range| range.start);
    ranges.dedup_by(|next, kept| {
        let joins = next.start <= kept.end;
        if joins {
            kept.end = kept.end.max(next.end);
        }
        joins
    });
    ranges
}

/// The parts of a space inside the ranges, which must be [`merged`].
fn parts_of(space: &Space, ranges: &[AddressRange]) -> Vec<AddressRange> {
    let inside = ranges.iter().map(|range| AddressRange {
        start: range.start.max(space.bottom),
        end: range.end.min(space.top),
    });
    inside.filter(|part| part.start < part.end).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn space(kind: SpaceKind, bottom: usize, top: usize) -> Space {
        Space {
            kind,
            index: 0,
            bottom: Address(bottom),
            top: Address(top),
        }
    }

    fn range(start: usize, end: usize) -> AddressRange {
        AddressRange {
            start: Address(start),
            end: Address(end),
        }
    }

    #[test]
    fn what_was_collected_of_a_space_is_looked_at_once() {
        let ranges = merged(vec![
            range(96, 128),
            range(0, 64),
            range(56, 72),
            range(512, 600),
        ]);
        assert_eq!(ranges, [range(0, 72), range(96, 128), range(512, 600)]);
        let parts = parts_of(&space(SpaceKind::Old, 32, 112), &ranges);
        assert_eq!(parts, [range(32, 72), range(96, 112)]);
    }

    #[test]
    fn all_objects_are_looked_at_as_long_as_that_takes_little_time() {
        let now = Instant::now();
        let after = |took| Reading {
            all_until: 0,
            last: Some((now, took)),
        };
        let later = now + Duration::from_millis(100);
        assert!(after(Duration::from_millis(5)).may_look_at_all(later));
        assert!(!after(Duration::from_millis(6)).may_look_at_all(later));
    }
}
