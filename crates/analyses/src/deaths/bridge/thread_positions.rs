//! When a thread was where in its stream of words: from positions of stamps to moments of a neutral stream.
//!
//! A moment passes with each event that the stream has. So a segment of the words is the moment before its first one, and
//! a bit for each word with which such an event ends; the bits that are set up to a position are the moments up to there.
//!
//! ```text
//! words      | 100 | 101 102 103 104 | 105 | 106 |          an array takes four words
//! bits          1     0   0   0   1     1     0              the last word is no event that counts
//! segment: starts at 100, at moment 7, epoch 2
//! position 100 -> moment 7     101 -> 8     104 -> 8     105 -> 9     107 -> 10
//! ```
//!
//! A position is the number of words before it. It has the moment of the thread's last event before
//! it, whatever other threads do until the thread's next one, and wherever its pieces begin.

/// Words of a segment at most, so that few bits are counted for an answer.
const MOST_WORDS: u64 = 4096;

/// A moment, and the collections before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Placed {
    pub(crate) time: u64,
    pub(crate) epoch: u32,
}

/// Words that follow each other, whose events follow each other as well.
#[derive(Debug)]
struct Segment {
    start: u64,
    words: u64,
    /// At the start.
    placed: Placed,
    /// At the end.
    time: u64,
    bits: Vec<u64>,
}

impl Segment {
    /// Events that end within its first words.
    fn events(&self, words: u64) -> u64 {
        let whole = (words / 64) as usize;
        let full = self.bits.iter().take(whole);
        let before: u64 = full.map(|bits| u64::from(bits.count_ones())).sum();
        let rest = self.bits.get(whole).copied().unwrap_or(0);
        before + u64::from((rest & ((1 << (words % 64)) - 1)).count_ones())
    }
}

/// The words of one thread that have been read.
#[derive(Debug, Default)]
pub(crate) struct ThreadPositions {
    /// Ascending.
    segments: Vec<Segment>,
}

impl ThreadPositions {
    /// The next records are read at this moment.
    pub(crate) fn begin(&mut self, placed: Placed) {
        let end = self.end();
        self.go_on(end, placed);
    }

    /// The thread continues at this position. A position before the current one is ignored.
    pub(crate) fn go_on(&mut self, position: u64, placed: Placed) {
        let start = position.max(self.end());
        let goes_on = self.segments.last().is_some_and(|last| {
            last.start + last.words == start
                && (last.time, last.placed.epoch) == (placed.time, placed.epoch)
                && last.words < MOST_WORDS
        });
        if !goes_on {
            self.push(start, placed);
        }
    }

    fn push(&mut self, start: u64, placed: Placed) {
        self.segments.push(Segment {
            start,
            words: 0,
            placed,
            time: placed.time,
            bits: Vec::new(),
        });
    }

    /// The next words are read, and with the last of them this many events end.
    pub(crate) fn pass(&mut self, words: u64, events: u64) {
        let Some(last) = self.segments.last_mut() else {
            return;
        };
        last.words += words;
        last.time += events;
        if events == 1 && words > 0 {
            let bit = last.words - 1;
            last.bits.resize((bit / 64) as usize + 1, 0);
            if let Some(bits) = last.bits.last_mut() {
                *bits |= 1 << (bit % 64);
            }
        }
        let placed = Placed {
            time: last.time,
            epoch: last.placed.epoch,
        };
        if events > 1 || last.words >= MOST_WORDS {
            let end = self.end();
            self.push(end, placed);
        }
    }

    /// The moment of a position; `None`: it is before all that was read.
    pub(crate) fn at(&self, position: u64) -> Option<Placed> {
        let from = self
            .segments
            .partition_point(|segment| segment.start < position);
        let before = from.checked_sub(1).and_then(|at| self.segments.get(at));
        let next = self.segments.get(from);
        // Where one ends and another begins, it is at the end of the one.
        let segment = match (before, next) {
            (Some(before), _) if before.start + before.words >= position => before,
            (_, Some(next)) if next.start == position => next,
            (before, _) => before?,
        };
        let words = position - segment.start;
        let time = match words < segment.words {
            true => segment.placed.time + segment.events(words),
            false => segment.time,
        };
        Some(Placed {
            time,
            epoch: segment.placed.epoch,
        })
    }

    fn end(&self) -> u64 {
        let last = self.segments.last();
        last.map_or(0, |last| last.start + last.words)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn placed(time: u64, epoch: u32) -> Placed {
        Placed { time, epoch }
    }

    #[test]
    fn the_example_of_the_module() {
        let mut positions = ThreadPositions::default();
        positions.go_on(100, placed(7, 2));
        for (words, events) in [(1, 1), (4, 1), (1, 1), (1, 0)] {
            positions.pass(words, events);
        }
        let times = [100, 101, 104, 105, 107].map(|at| positions.at(at).expect("read").time);
        assert_eq!(times, [7, 8, 8, 9, 10]);
        assert_eq!(positions.at(99), None);
    }

    #[test]
    fn after_a_pause_a_position_is_of_the_next_epoch() {
        let mut positions = ThreadPositions::default();
        positions.begin(placed(0, 0));
        positions.pass(1, 1);
        positions.go_on(2, placed(5, 1));
        assert_eq!(positions.at(1), Some(placed(1, 0)));
        assert_eq!(positions.at(2), Some(placed(5, 1)));
        positions.begin(placed(9, 1));
        positions.pass(1, 3);
        assert_eq!(positions.at(2), Some(placed(5, 1)));
        assert_eq!(positions.at(3), Some(placed(12, 1)));
    }

    proptest! {
        /// Against a list of all words.
        #[test]
        fn moments_are_those_of_a_list(
            steps in prop::collection::vec((1_u64..9, 0_u64..4, 0_u64..30), 1..600),
        ) {
            let mut positions = ThreadPositions::default();
            let mut list: Vec<u64> = vec![0];
            let mut time = 0;
            positions.begin(placed(0, 0));
            for (words, events, other) in steps {
                // Events of other threads come in between now and then.
                if other < 3 {
                    time += other;
                    positions.begin(placed(time, 0));
                }
                positions.pass(words, events);
                list.extend((1..words).map(|_| time));
                time += events;
                list.push(time);
            }
            for (position, time) in (0..).zip(&list) {
                prop_assert_eq!(positions.at(position).map(|placed| placed.time), Some(*time));
            }
        }
    }
}
