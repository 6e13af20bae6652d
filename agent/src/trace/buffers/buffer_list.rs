//! The buffers of all threads, by number. They are added, and never moved or removed: a reader takes no lock, also in a pause.
//!
//! Each segment is twice as long as the one before it.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use parking_lot::Mutex;

/// Buffers of the first segment.
const FIRST: usize = 64;
/// Enough for 2^31 threads.
const SEGMENTS: usize = 25;

/// The list.
#[derive(Debug)]
pub(crate) struct BufferList<T> {
    segments: [OnceLock<Box<[OnceLock<T>]>>; SEGMENTS],
    length: AtomicUsize,
    /// Held by the thread that adds one.
    adding: Mutex<()>,
}

impl<T> Default for BufferList<T> {
    fn default() -> Self {
        Self {
            segments: [const { OnceLock::new() }; SEGMENTS],
            length: AtomicUsize::new(0),
            adding: Mutex::new(()),
        }
    }
}

/// Segment, and place in it.
fn place(number: usize) -> (usize, usize) {
    let segment = (number / FIRST + 1).ilog2() as usize;
    (segment, number - FIRST * ((1 << segment) - 1))
}

impl<T> BufferList<T> {
    /// Adds what `make` makes for a number; `None` if the list is full.
    pub(crate) fn add(&self, make: impl FnOnce(usize) -> T) -> Option<&T> {
        let _adding = self.adding.lock();
        let number = self.len();
        let (segment, at) = place(number);
        let segment_of = self.segments.get(segment)?;
        let empty = || (0..FIRST << segment).map(|_| OnceLock::new()).collect();
        let added = segment_of.get_or_init(empty).get(at)?;
        let added = added.get_or_init(|| make(number));
        self.length.store(number + 1, Ordering::Release);
        Some(added)
    }

    pub(crate) fn len(&self) -> usize {
        self.length.load(Ordering::Acquire)
    }

    pub(crate) fn get(&self, number: usize) -> Option<&T> {
        let (segment, at) = place(number);
        self.segments.get(segment)?.get()?.get(at)?.get()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> {
        (0..self.len()).filter_map(|number| self.get(number))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_number_has_a_place_of_its_own() {
        assert_eq!(place(0), (0, 0));
        assert_eq!(place(63), (0, 63));
        assert_eq!(place(64), (1, 0));
        assert_eq!(place(191), (1, 127));
        assert_eq!(place(192), (2, 0));
    }

    #[test]
    fn what_was_added_is_there_in_its_order() {
        let list = BufferList::default();
        for number in 0..1000 {
            assert_eq!(list.add(|own| own * 3), Some(&(number * 3)));
        }
        assert_eq!((list.len(), list.get(1000)), (1000, None));
        let all: Vec<usize> = list.iter().copied().collect();
        assert_eq!(all, (0..1000).map(|number| number * 3).collect::<Vec<_>>());
    }

    #[test]
    fn a_reader_does_not_wait_for_the_thread_that_adds() {
        let list = BufferList::default();
        list.add(|_| 0);
        let seen = list.add(|_| list.iter().count());
        assert_eq!(seen, Some(&1));
    }
}
