//! Moments of a run on four clocks.

use crate::death::recent_clocks::RecentClocks;
use crate::stream::record::{Reading, Time};

/// A moment. `time` orders all; the others are readings of the program's clocks at it.
///
/// Bytes and calls are exact at each event: the last tick's reading and what was allocated or entered since. Microseconds
/// are those of the last tick before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Instant {
    /// Events and ticks since the start.
    pub time: Time,
    /// Bytes allocated since the start.
    pub bytes: u64,
    /// Methods entered since the start.
    pub calls: u64,
    /// Microseconds since the start.
    pub micros: u64,
}

impl Instant {
    /// The later of two.
    #[must_use]
    pub fn later(self, other: Self) -> Self {
        if other.time > self.time { other } else { self }
    }
}

/// Which clocks a stream has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KnownClocks {
    /// There are entries, or ticks with calls.
    pub calls: bool,
    /// There are ticks with microseconds.
    pub micros: bool,
}

/// Events between two marks, so that the clock of bytes is accurate for older moments too.
const EVENTS_OF_MARK: u64 = 64;
/// Moments kept for stamps from the past; then every second is let go.
const MOST_MARKS: usize = 1 << 20;

/// Marks around the last answer that are looked at first.
const NEAR: usize = 8;

/// The present, and marks of the past from which the clocks at a time are computed.
#[derive(Debug)]
pub(crate) struct Clock {
    now: Instant,
    known: KnownClocks,
    marks: Vec<Instant>,
    /// The first mark after the moment that was asked for last.
    cursor: usize,
    /// Least distance of two marks, in moments.
    spacing: u64,
    recent: RecentClocks,
    went_back: u64,
}

impl Default for Clock {
    fn default() -> Self {
        Self {
            now: Instant::default(),
            known: KnownClocks::default(),
            marks: vec![Instant::default()],
            cursor: 0,
            spacing: 1,
            recent: RecentClocks::default(),
            went_back: 0,
        }
    }
}

impl Clock {
    #[inline]
    pub(crate) fn now(&self) -> Instant {
        self.now
    }

    pub(crate) fn known(&self) -> KnownClocks {
        self.known
    }

    /// Readings that were below the reading before; they were ignored.
    pub(crate) fn went_back(&self) -> u64 {
        self.went_back
    }

    /// An event happens.
    #[inline]
    pub(crate) fn event(&mut self) -> Instant {
        self.now.time = self.now.time.saturating_add(1);
        self.recent
            .push(self.now.time, (self.now.bytes, self.now.calls));
        if self.now.time.is_multiple_of(EVENTS_OF_MARK) {
            self.mark();
        }
        self.now
    }

    /// An event allocates.
    #[inline]
    pub(crate) fn allocation(&mut self, bytes: u64) -> Instant {
        self.now.bytes = self.now.bytes.saturating_add(bytes);
        self.event()
    }

    /// An event enters a method.
    #[inline]
    pub(crate) fn entry(&mut self) -> Instant {
        self.known.calls = true;
        self.now.calls = self.now.calls.saturating_add(1);
        self.event()
    }

    pub(crate) fn tick(&mut self, advance: u64, reading: &Reading) {
        // The clocks up to here are what they were before the tick: the jump lies between two marks.
        self.mark();
        self.now.time = self.now.time.saturating_add(advance);
        if advance == 1 {
            self.recent
                .push(self.now.time, (self.now.bytes, self.now.calls));
        }
        self.known.calls |= reading.calls.is_some();
        self.known.micros |= reading.micros.is_some();
        let mut went_back = 0;
        let mut set = |clock: &mut u64, value: Option<u64>| {
            let value = value.unwrap_or(*clock);
            went_back += u64::from(value < *clock);
            *clock = value.max(*clock);
        };
        set(&mut self.now.bytes, reading.bytes);
        set(&mut self.now.calls, reading.calls);
        set(&mut self.now.micros, reading.micros);
        self.went_back += went_back;
        self.mark();
    }

    /// Remembers the present.
    pub(crate) fn mark(&mut self) {
        let last = self.marks.last().copied().unwrap_or_default();
        if self.now.time < last.time.saturating_add(self.spacing) {
            return;
        }
        if self.marks.len() >= MOST_MARKS {
            let mut at = 0_usize;
            self.marks.retain(|_| {
                at += 1;
                !at.is_multiple_of(2)
            });
            self.spacing = self.spacing.saturating_mul(2);
        }
        self.marks.push(self.now);
    }

    /// The clocks at a time that is not after the present; between two marks as on a straight line.
    pub(crate) fn at(&mut self, time: Time) -> Instant {
        let time = time.min(self.now.time);
        let after = self.first_mark_after(time);
        let before = after.checked_sub(1).and_then(|at| self.marks.get(at));
        let before = before.copied().unwrap_or_default();
        let after = self.marks.get(after).copied().unwrap_or(self.now);
        let between = |low: u64, high: u64| {
            let (part, whole) = (time - before.time, after.time.saturating_sub(before.time));
            match whole {
                0 => low,
                whole => {
                    let step = u128::from(high.saturating_sub(low)) * u128::from(part);
                    // At most high - low.
                    low.saturating_add((step / u128::from(whole)) as u64)
                }
            }
        };
        let told = || {
            let bytes = between(before.bytes, after.bytes);
            (bytes, between(before.calls, after.calls))
        };
        let (bytes, calls) = self.recent.at(time).unwrap_or_else(told);
        Instant {
            time,
            bytes,
            calls,
            micros: between(before.micros, after.micros),
        }
    }
}

impl Clock {
    /// Questions are often close to each other.
    fn first_mark_after(&mut self, time: Time) -> usize {
        let near = self.cursor.saturating_sub(NEAR);
        let marks = self
            .marks
            .get(near..self.marks.len().min(self.cursor + NEAR));
        let found = marks.and_then(|marks| {
            let (first, last) = (marks.first()?, marks.last()?);
            let is_here = first.time <= time && time < last.time;
            is_here.then(|| near + marks.partition_point(|mark| mark.time <= time))
        });
        self.cursor = found.unwrap_or_else(|| self.marks.partition_point(|mark| mark.time <= time));
        self.cursor
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reading(micros: u64) -> Reading {
        Reading {
            micros: Some(micros),
            ..Reading::default()
        }
    }

    #[test]
    fn past_moments_lie_between_the_marks_around_them() {
        let mut clock = Clock::default();
        clock.allocation(100);
        clock.tick(9, &reading(50));
        clock.tick(10, &reading(150));
        assert_eq!(clock.at(10).micros, 50);
        assert_eq!(clock.at(15).micros, 100);
        assert_eq!(clock.at(1).bytes, 100);
        assert_eq!(clock.at(99), clock.now());
    }

    #[test]
    fn bytes_at_an_allocation_are_exact_between_marks() {
        let mut clock = Clock::default();
        for bytes in [16, 4000, 24, 32] {
            clock.allocation(bytes);
        }
        assert_eq!(
            [1, 2, 3, 4].map(|time| clock.at(time).bytes),
            [16, 4016, 4040, 4072]
        );
    }

    #[test]
    fn bytes_and_calls_are_exact_at_every_event() {
        let mut clock = Clock::default();
        clock.allocation(4000);
        for _ in 0..100 {
            clock.entry();
            clock.event();
        }
        clock.allocation(16);
        let at = |clock: &mut Clock, time| (clock.at(time).bytes, clock.at(time).calls);
        assert_eq!(at(&mut clock, 201), (4000, 100));
        assert_eq!(at(&mut clock, 100), (4000, 50));
        assert_eq!(at(&mut clock, 202), (4016, 100));
    }

    #[test]
    fn a_clock_that_goes_back_is_counted_and_stays() {
        let mut clock = Clock::default();
        clock.tick(1, &reading(50));
        clock.tick(1, &reading(40));
        assert_eq!((clock.now().micros, clock.went_back()), (50, 1));
    }

    #[test]
    fn marks_are_bounded() {
        let mut clock = Clock::default();
        for at in 0..(MOST_MARKS as u64 * 2) {
            clock.tick(2, &reading(at));
        }
        assert!(clock.marks.len() <= MOST_MARKS);
        let seen = clock.at(clock.now().time / 2);
        assert!(seen.micros.abs_diff(MOST_MARKS as u64) < 8, "{seen:?}");
    }
}
