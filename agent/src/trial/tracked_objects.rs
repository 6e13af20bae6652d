//! Since when each target has not been used: exactly, by a look at its word of the shadow in every pause.
//!
//! ```text
//! pause    word at the old place   mark of this entry: not used since the last pause; a stamp: used; the mark of another entry: found twice
//!          weak reference          where the object is now; null: it has died
//!          word at the new place   the mark, for the next pause
//! ```
//!
//! A mark is `1 << 63 | entry`; stamps are small numbers, and any use puts one over the mark. So
//! moves lose nothing, and uses of former tenants of an address are not taken for the object's.

use std::sync::atomic::{AtomicUsize, Ordering};

use ducktrack_hotspot::Address;
use ducktrack_jvmti::Jni;
use ducktrack_jvmti::sys::jweak;

const MARK: u64 = 1 << 63;
/// Bits of a handle that say of which kind it is.
const HANDLE_KIND: usize = 3;

/// The clock of uses, and the words that uses stamp.
pub(crate) trait UseWords {
    /// The number of collections so far, and one more.
    fn now(&self) -> u64;
    /// The word of the object at an address.
    fn word(&self, object: Address) -> u64;
    /// Replaces the word of the object at an address if it still is `expected`.
    fn exchange(&self, object: Address, expected: u64, new: u64) -> bool;
}

/// A weak reference of the VM.
#[derive(Clone, Copy, Debug)]
pub(super) struct WeakReference(jweak);

// SAFETY: a weak global reference is valid in every thread.
unsafe impl Send for WeakReference {}

impl WeakReference {
    pub(super) fn new(reference: jweak) -> Self {
        Self(reference)
    }

    /// Where the object is; `None`: it has died. While the world is stopped.
    fn place(self) -> Option<Address> {
        let slot = std::ptr::with_exposed_provenance::<AtomicUsize>(self.0 as usize & !HANDLE_KIND);
        // SAFETY: a handle of HotSpot is the address of an aligned word that holds the object's address, with its kind in the
        // lowest bits; the collector has updated it, and it is deleted by `forget` only, by the thread that drops its entry.
        let place = unsafe { (*slot).load(Ordering::Relaxed) };
        (place != 0).then_some(Address(place))
    }

    /// Gives it back.
    pub(super) fn forget(self, jni: Jni) {
        jni.delete_weak_global_ref(self.0);
    }
}

/// One target.
#[derive(Clone, Copy, Debug)]
struct Entry {
    reference: WeakReference,
    pair: u8,
    place: Address,
    /// The clock at its last known use.
    used: u64,
    is_removed: bool,
}

/// The state of a target that was looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Known {
    /// It was not tracked.
    New,
    /// Not used since this clock.
    UnusedSince(u64),
    /// References to it have been removed.
    Removed,
}

/// The fate of the removed objects of a pair.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Afterlife {
    pub(super) used_again: u64,
    pub(super) alive: u64,
}

/// All tracked targets. The VM's thread goes through them in pauses: callers that hold the lock must not call the VM.
#[derive(Debug, Default)]
pub(super) struct TrackedObjects {
    entries: Vec<Option<Entry>>,
    free: Vec<usize>,
    /// References that only a thread with JNI can give back.
    dropped: Vec<WeakReference>,
    used_again: [u64; 8],
}

fn mark(entry: usize) -> u64 {
    MARK | entry as u64
}

fn entry_of(word: u64) -> Option<usize> {
    (word & MARK != 0).then_some((word & !MARK) as usize)
}

impl TrackedObjects {
    /// After a collection, before the program continues.
    pub(super) fn pause(&mut self, uses: &dyn UseWords) {
        let now = uses.now();
        // All words are read before one is written: an object may have moved to where another was.
        for at in 0..self.entries.len() {
            self.look(at, uses, now);
        }
        for (at, entry) in self.entries.iter().enumerate() {
            if let Some(entry) = entry {
                let _ = uses.exchange(entry.place, uses.word(entry.place), mark(at));
            }
        }
    }

    fn look(&mut self, at: usize, uses: &dyn UseWords, now: u64) {
        let Some(entry) = self.entries.get(at).copied().flatten() else {
            return;
        };
        let word = uses.word(entry.place);
        let is_double = entry_of(word).is_some_and(|other| {
            let other = (other != at).then(|| self.entries.get(other).copied().flatten());
            other
                .flatten()
                .is_some_and(|other| other.place == entry.place)
        });
        let place = entry.reference.place().filter(|_| !is_double);
        let is_used = word & MARK == 0;
        if is_used && entry.is_removed {
            self.used_again[usize::from(entry.pair)] += 1;
        }
        // A use of a removed object is counted once.
        match place.filter(|_| !(is_used && entry.is_removed)) {
            None => self.drop_entry(at),
            Some(place) => {
                self.entries[at] = Some(Entry {
                    place,
                    used: if is_used { now } else { entry.used },
                    ..entry
                });
            }
        }
    }

    fn drop_entry(&mut self, at: usize) {
        let entry = self.entries.get_mut(at).and_then(Option::take);
        self.dropped.extend(entry.map(|entry| entry.reference));
        self.free.push(at);
    }

    /// The state of the object at a place, which has this word.
    pub(super) fn known(&self, place: Address, word: u64) -> Known {
        let entry = entry_of(word).and_then(|at| self.entries.get(at).copied().flatten());
        match entry.filter(|entry| entry.place == place) {
            None => Known::New,
            Some(entry) if entry.is_removed => Known::Removed,
            Some(entry) => Known::UnusedSince(entry.used),
        }
    }

    /// Tracks an object from now on.
    pub(super) fn track(
        &mut self,
        uses: &dyn UseWords,
        (place, word): (Address, u64),
        pair: usize,
        reference: WeakReference,
    ) {
        let entry = Entry {
            reference,
            pair: pair as u8,
            place,
            used: uses.now(),
            is_removed: false,
        };
        let at = self.free.pop().unwrap_or(self.entries.len());
        if at == self.entries.len() {
            self.entries.push(None);
        }
        self.entries[at] = Some(entry);
        // Where it was used just now, the next pause finds the stamp.
        let _ = uses.exchange(place, word, mark(at));
    }

    /// References to the object at a place are removed.
    pub(super) fn note_removed(&mut self, word: u64) {
        let entry = entry_of(word).and_then(|at| self.entries.get_mut(at));
        if let Some(Some(entry)) = entry {
            entry.is_removed = true;
        }
    }

    /// The fate of the removed objects of a pair.
    pub(super) fn afterlife(&self, pair: usize) -> Afterlife {
        let alive = self.entries.iter().flatten();
        let alive = alive.filter(|entry| entry.is_removed && usize::from(entry.pair) == pair);
        Afterlife {
            used_again: self.used_again(pair),
            alive: alive.count() as u64,
        }
    }

    /// Removed objects of a pair that were used again.
    pub(super) fn used_again(&self, pair: usize) -> u64 {
        self.used_again.get(pair).copied().unwrap_or(0)
    }

    /// References to give back.
    pub(super) fn take_dropped(&mut self) -> Vec<WeakReference> {
        std::mem::take(&mut self.dropped)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;
    use std::collections::HashMap;

    #[derive(Default)]
    struct Words {
        now: u64,
        words: RefCell<HashMap<usize, u64>>,
    }

    impl UseWords for Words {
        fn now(&self) -> u64 {
            self.now
        }

        fn word(&self, object: Address) -> u64 {
            self.words.borrow().get(&object.0).copied().unwrap_or(0)
        }

        fn exchange(&self, object: Address, expected: u64, new: u64) -> bool {
            let is_expected = self.word(object) == expected;
            if is_expected {
                self.words.borrow_mut().insert(object.0, new);
            }
            is_expected
        }
    }

    /// A handle as the VM has it: a word that the test moves.
    fn handle(place: usize) -> (&'static AtomicUsize, WeakReference) {
        let slot: &'static AtomicUsize = Box::leak(Box::new(AtomicUsize::new(place)));
        let handle = std::ptr::from_ref(slot).expose_provenance() | 1;
        (slot, WeakReference::new(handle as jweak))
    }

    fn stamp(words: &Words, place: usize) {
        words.words.borrow_mut().insert(place, words.now);
    }

    #[test]
    fn moves_lose_no_use() {
        let mut words = Words {
            now: 5,
            ..Words::default()
        };
        let mut tracked = TrackedObjects::default();
        let ((one, first), (two, second)) = (handle(96), handle(160));
        tracked.track(&words, (Address(96), 0), 0, first);
        tracked.track(&words, (Address(160), 0), 0, second);
        // Both move, the second to where the first was; only the first was used.
        stamp(&words, 96);
        one.store(320, Ordering::Relaxed);
        two.store(96, Ordering::Relaxed);
        words.now = 6;
        tracked.pause(&words);
        let of = |tracked: &TrackedObjects, place| {
            tracked.known(Address(place), words.word(Address(place)))
        };
        assert_eq!(of(&tracked, 320), Known::UnusedSince(6));
        assert_eq!(of(&tracked, 96), Known::UnusedSince(5));
        assert_eq!(of(&tracked, 160), Known::New);
        tracked.pause(&words);
        assert_eq!(of(&tracked, 96), Known::UnusedSince(5));
    }

    #[test]
    fn removed_objects_die_or_are_used_again() {
        let words = Words {
            now: 5,
            ..Words::default()
        };
        let mut tracked = TrackedObjects::default();
        let ((_, first), (two, second)) = (handle(96), handle(160));
        tracked.track(&words, (Address(96), 0), 3, first);
        tracked.track(&words, (Address(160), 0), 3, second);
        for place in [96, 160] {
            tracked.note_removed(words.word(Address(place)));
        }
        assert_eq!(
            tracked.afterlife(3),
            Afterlife {
                used_again: 0,
                alive: 2
            }
        );
        assert_eq!(
            tracked.known(Address(96), words.word(Address(96))),
            Known::Removed
        );
        stamp(&words, 96);
        two.store(0, Ordering::Relaxed);
        tracked.pause(&words);
        assert_eq!(
            tracked.afterlife(3),
            Afterlife {
                used_again: 1,
                alive: 0
            }
        );
        assert_eq!(tracked.take_dropped().len(), 2);
        tracked.pause(&words);
        assert_eq!(tracked.afterlife(3).used_again, 1);
    }

    #[test]
    fn an_object_that_is_found_twice_is_tracked_once() {
        let words = Words {
            now: 5,
            ..Words::default()
        };
        let mut tracked = TrackedObjects::default();
        let ((_, first), (_, second)) = (handle(96), handle(96));
        tracked.track(&words, (Address(96), 0), 0, first);
        stamp(&words, 96);
        tracked.track(&words, (Address(96), 5), 0, second);
        tracked.pause(&words);
        assert_eq!(tracked.take_dropped().len(), 1);
        assert_eq!(
            tracked.known(Address(96), words.word(Address(96))),
            Known::UnusedSince(5)
        );
    }
}
