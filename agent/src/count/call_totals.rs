//! Measures what the application's calls allocate: the tables that the helper classes read, and the open calls of waiting virtual threads.
//!
//! ```text
//! counter's bytes   by counter: bytes that one increment stands for (8 bytes each)
//! site's bytes      by site: bytes of an object, if keyed entries count it
//! waiting           virtual threads that were unmounted in the middle of a call
//! ```
//!
//! The size of a class is known before its first object is allocated ([`crate::classes::prepared_classes`]). If the loader of a site does
//! not decide which class of a name is meant, the first prepared one does. If several classes have the same name and different sizes, the
//! bytes of calls may be those of the wrong class.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use ducktrack_class_rewriter::{RewrittenClass, SizeRule, Unit};
use ducktrack_hotspot::{Error, Reservation};
use ducktrack_probe_vocabulary::fact::Fact;
use ducktrack_trace_format::ObjectLayout;
use parking_lot::Mutex;
use rustc_hash::FxHashMap;

use crate::core::registry::LoaderId;
use crate::core::registry::object_bytes::object_bytes;
use crate::count::application::Application;
use crate::threads::counter_block::{
    CounterBlock, FIRST_COUNTER, OpenCalls, RECORDS_BYTES, RECORDS_OFFSET, WORDS,
};

/// Number of sites that the table has room for.
pub(crate) const MOST_SITES: u32 = 1 << 20;
/// An open call of a waiting thread: its first counter, and what it has allocated, what of that is charged, and what its counters have got.
type WaitingCall = [u64; 7];

/// The open calls of a virtual thread that waits.
struct WaitingCalls {
    bottom: Option<WaitingCall>,
    records: Vec<WaitingCall>,
}

/// The agent's knowledge of calls. Permanent, because compiled code holds the addresses.
pub(crate) struct CallTotals {
    counters: usize,
    sites: usize,
    waiting: AtomicU64,
    parked: Mutex<FxHashMap<u64, WaitingCalls>>,
    application: OnceLock<Application>,
    unsized_words: Mutex<FxHashMap<Box<[u8]>, Vec<UnsizedWord>>>,
}

/// A word of a table that waits for the size of a class.
#[derive(Clone, Copy)]
struct UnsizedWord {
    address: usize,
    factor: u64,
    loader: LoaderId,
}

/// Stays for good: its addresses are constants in the helper class. `None`: the helper class was built without totals.
static TOTALS: OnceLock<Option<CallTotals>> = OnceLock::new();

impl CallTotals {
    /// The totals of this process. Whether they are measured is decided when the helper class is defined.
    pub(crate) fn get() -> Option<&'static Self> {
        TOTALS.get()?.as_ref()
    }

    /// Decides whether calls are measured. Call before the helper class is defined.
    ///
    /// # Errors
    /// If there is no memory for the tables.
    pub(crate) fn decide(wanted: bool) -> Result<(), String> {
        if TOTALS.get().is_none() {
            let totals = wanted.then(Self::new).transpose();
            let totals =
                totals.map_err(|error| format!("no memory for the totals of calls: {error}"))?;
            // Runs start one after another.
            let _ = TOTALS.set(totals);
        }
        Ok(())
    }

    /// Creates empty tables.
    ///
    /// # Errors
    /// If there is no address space.
    pub(crate) fn new() -> Result<Self, Error> {
        let table = |entries: u32| {
            let reservation = Reservation::low_if_possible(entries as usize * 8)?;
            let address = reservation.address().0;
            let _ = reservation.keep();
            Ok(address)
        };
        Ok(Self {
            counters: table(WORDS)?,
            sites: table(MOST_SITES)?,
            waiting: AtomicU64::new(0),
            parked: Mutex::default(),
            application: OnceLock::new(),
            unsized_words: Mutex::default(),
        })
    }

    /// The values that the helper class asks for.
    pub(crate) fn constant(&self, fact: Fact) -> i64 {
        let value = match fact {
            Fact::Totals => 1,
            Fact::CounterBytes => self.counters,
            Fact::SiteBytes => self.sites,
            Fact::CallRecords => RECORDS_OFFSET,
            Fact::CallRecordsBytes => RECORDS_BYTES,
            Fact::WaitingThreads => self.waiting.as_ptr() as usize,
            _ => 0,
        };
        i64::try_from(value).unwrap_or(0)
    }

    /// The application, once it is known.
    pub(crate) fn application(&self) -> Option<&Application> {
        self.application.get()
    }

    pub(crate) fn set_application(&self, application: Application) {
        // A process has one program.
        let _ = self.application.set(application);
    }

    /// Sets the sizes of a class's sites before its code runs. `size_of` gives the size of the instances of a prepared class.
    pub(crate) fn learn(
        &self,
        rewritten: &RewrittenClass,
        loader: LoaderId,
        layout: &ObjectLayout,
        size_of: impl Fn(&[u8], LoaderId) -> Option<u32>,
    ) {
        let mut factors: FxHashMap<u32, Vec<(usize, u64)>> = FxHashMap::default();
        for counter in &rewritten.counters {
            let counts = counter.terms.iter().filter(|term| term.unit == Unit::Count);
            for term in counts {
                let word = self.counters + counter.id as usize * 8;
                let factor = u64::try_from(term.factor).unwrap_or(0);
                factors.entry(term.site).or_default().push((word, factor));
            }
        }
        for site in rewritten.sites.iter().filter(|site| site.id < MOST_SITES) {
            let words = factors.entry(site.id).or_default();
            words.push((self.sites + site.id as usize * 8, 1));
            match (object_bytes(&site.size, layout), &site.size, &site.ty) {
                (Some(bytes), ..) => {
                    for (word, factor) in words {
                        set(*word, *factor * u64::from(bytes));
                    }
                }
                (None, SizeRule::OfClass, Some(ty)) => {
                    let wait = |(address, factor): &(usize, u64)| UnsizedWord {
                        address: *address,
                        factor: *factor,
                        loader,
                    };
                    self.wait(ty, words.iter().map(wait));
                    // Checked after they are registered, because the class may be prepared in between.
                    self.class_prepared(ty, &size_of);
                }
                _ => {}
            }
        }
    }

    fn wait(&self, descriptor: &[u8], words: impl Iterator<Item = UnsizedWord>) {
        let mut waiting = self.unsized_words.lock();
        waiting.entry(descriptor.into()).or_default().extend(words);
    }

    /// Sets the words that wait for the size of a class, when it is prepared.
    pub(crate) fn class_prepared(
        &self,
        descriptor: &[u8],
        size_of: impl Fn(&[u8], LoaderId) -> Option<u32>,
    ) {
        let mut waiting = self.unsized_words.lock();
        let Some(words) = waiting.get_mut(descriptor) else {
            return;
        };
        words.retain(|word| match size_of(descriptor, word.loader) {
            Some(bytes) => {
                set(word.address, word.factor * u64::from(bytes));
                false
            }
            None => true,
        });
        if words.is_empty() {
            waiting.remove(descriptor);
        }
    }

    /// The same for all classes that are prepared.
    pub(crate) fn size_all(&self, size_of: impl Fn(&[u8], LoaderId) -> Option<u32>) {
        let descriptors: Vec<Box<[u8]>> = self.unsized_words.lock().keys().cloned().collect();
        for descriptor in descriptors {
            self.class_prepared(&descriptor, &size_of);
        }
    }

    /// Unmounts a virtual thread in the middle of calls: they wait, with their totals so far.
    pub(crate) fn leave(&self, thread: u64, carrier: CounterBlock) {
        let (before, open) = (carrier.open_calls_before(), carrier.open_calls());
        let bottom = (before == OpenCalls::default() && open.bottom != 0).then(|| {
            let [objects, bytes, charged_objects, charged_bytes] = carrier.totals();
            let call = u64::from(open.bottom);
            [call, objects, bytes, charged_objects, charged_bytes, 0, 0]
        });
        let first = before.records.min(open.records);
        let records = (first..open.records).map(|record| {
            let words = carrier.record(record);
            let now = now(carrier, words[0]);
            let brought = |word: usize| now[word - 1].wrapping_sub(words[word]);
            std::array::from_fn(|word| if word == 0 { words[0] } else { brought(word) })
        });
        let waiting = WaitingCalls {
            bottom,
            records: records.collect(),
        };
        carrier.set_open_calls(before);
        if waiting.bottom.is_some() || !waiting.records.is_empty() {
            self.parked.lock().insert(thread, waiting);
            self.waiting.fetch_add(1, Ordering::AcqRel);
        }
    }

    /// Mounts it again, perhaps on another carrier.
    pub(crate) fn arrive(&self, thread: u64, carrier: CounterBlock) {
        let Some(WaitingCalls { bottom, records }) = self.parked.lock().remove(&thread) else {
            return;
        };
        self.waiting.fetch_sub(1, Ordering::AcqRel);
        let mut open = carrier.open_calls();
        let mut above = records;
        match bottom {
            Some([call, totals @ .., _, _]) if open == OpenCalls::default() => {
                carrier.set_totals(totals);
                open.bottom = u32::try_from(call).unwrap_or(0);
            }
            // The carrier has a call open itself: it becomes one of those above.
            Some(bottom) => above.insert(0, bottom),
            None => {}
        }
        for [call, brought @ ..] in above {
            let now = now(carrier, call);
            let then = |word: usize| now[word].wrapping_sub(brought[word]);
            let record = std::array::from_fn(|word| if word == 0 { call } else { then(word - 1) });
            if !carrier.set_record(open.records, &record) {
                break;
            }
            open.records += 1;
        }
        carrier.set_open_calls(open);
    }
}

/// The record that a call would leave if it began now.
fn now(carrier: CounterBlock, call: u64) -> [u64; 6] {
    let [objects, bytes, charged_objects, charged_bytes] = carrier.totals();
    let counter = |offset: u32| {
        let first = u32::try_from(call).unwrap_or(FIRST_COUNTER);
        carrier.counter(first.saturating_add(offset))
    };
    [
        objects,
        bytes,
        charged_objects,
        charged_bytes,
        counter(0),
        counter(1),
    ]
}

fn set(address: usize, value: u64) {
    // SAFETY: every address here is that of a word of one of the two tables,
    // which are never unmapped; numbers were checked against their sizes.
    let word = unsafe { &*std::ptr::with_exposed_provenance::<AtomicU64>(address) };
    word.store(value, Ordering::Release);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::threads::counter_block::CounterBlock;

    #[test]
    fn records_go_from_carrier_to_carrier() {
        let totals = CallTotals::new().expect("memory");
        let (first, second) = (
            CounterBlock::new().expect("memory"),
            CounterBlock::new().expect("memory"),
        );
        // The bottom call has brought all that the totals say; a call above it two objects and 20 bytes.
        first.set_totals([10, 100, 4, 40]);
        first.set_word(70, 7);
        let open = OpenCalls {
            bottom: 80,
            records: 1,
        };
        assert!(first.set_record(0, &[70, 8, 80, 4, 40, 7, 0]));
        first.set_open_calls(open);
        totals.leave(42, first);
        assert_eq!(first.open_calls(), OpenCalls::default());
        assert_eq!(totals.waiting.load(Ordering::Relaxed), 1);
        second.set_totals([1000, 5000, 900, 4000]);
        second.set_word(70, 50);
        totals.arrive(42, second);
        assert_eq!(second.open_calls(), open);
        assert_eq!(second.totals(), [10, 100, 4, 40]);
        assert_eq!(second.record(0), [70, 8, 80, 4, 40, 50, 0]);
        totals.arrive(42, second);
        assert_eq!(second.open_calls(), open);

        // On a carrier that has a call open, the bottom call gets a record.
        totals.leave(42, second);
        let carrier = OpenCalls {
            bottom: 90,
            records: 0,
        };
        first.set_totals([1000, 5000, 900, 4000]);
        first.set_open_calls(carrier);
        totals.arrive(42, first);
        let records = OpenCalls {
            bottom: 90,
            records: 2,
        };
        assert_eq!(first.open_calls(), records);
        assert_eq!(first.totals(), [1000, 5000, 900, 4000]);
        assert_eq!(first.record(0)[..5], [80, 990, 4900, 896, 3960]);
        assert_eq!(first.record(1)[..5], [70, 998, 4980, 900, 4000]);
    }
}
