//! The fate, in a collection, of the object that started at an address: none, or it died, or it survived and where.
//!
//! The collected ranges and the runs of survivors cut the address space into stretches; all objects that start in a stretch
//! have the same fate. An object belongs to the range that it starts in: a huge object ends far after it.
//!
//! ```text
//! collected            [100 .................................... 200)
//! runs                        [116, 24 bytes -> 500)   [160, 8 bytes -> 160)
//! stretches     ..100   [100  116) [116     140) [140   160) [160 168) [168 200) [200..
//! fate          as is     dead        +384         dead        +0        dead      as is
//! ```

use ducktrack_trace_format::{AddressRange, MoveRun};

use crate::capped;

/// The fate of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It was in no collected range.
    Untouched,
    /// It was found dead.
    Dead,
    /// It survived; its address grew by this (modulo 2^64; 0: it stayed).
    Survived(u64),
    /// The trace states the survivor anew, with its class, because the writer was not sure which event made it.
    Found,
}

/// Objects that start before `end` and not in the stretch before: 16 bytes, because each object that moves alone has a stretch of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stretch {
    end: u64,
    fate: PackedFate,
}

/// A [`Fate`] in 8 bytes: how far survivors moved, or one of three distances that no address space has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct PackedFate(u64);

impl PackedFate {
    const UNTOUCHED: u64 = 1 << 63;
    const DEAD: u64 = Self::UNTOUCHED + 1;
    const FOUND: u64 = Self::UNTOUCHED + 2;

    fn new(fate: Fate) -> Self {
        Self(match fate {
            Fate::Untouched => Self::UNTOUCHED,
            Fate::Dead => Self::DEAD,
            Fate::Found => Self::FOUND,
            Fate::Survived(by) => by,
        })
    }

    fn fate(self) -> Fate {
        match self.0 {
            Self::UNTOUCHED => Fate::Untouched,
            Self::DEAD => Fate::Dead,
            Self::FOUND => Fate::Found,
            by => Fate::Survived(by),
        }
    }
}

/// A stretch with its start, for questions.
#[derive(Clone, Copy, Debug)]
struct Bounds {
    start: u64,
    end: u64,
    fate: Fate,
}

/// The fates of all objects at one collection.
#[derive(Clone, Debug, Default)]
pub struct FateMap {
    /// Ascending and without gaps; after the last: untouched.
    stretches: Vec<Stretch>,
    /// Objects of runs that are in no collected range, or overlap: a contradiction in the trace.
    pub misplaced: u64,
}

impl FateMap {
    /// `collected` must be [`merged`], `runs` must ascend.
    pub fn new(collected: &[AddressRange], runs: &[MoveRun]) -> Self {
        let mut map = Self::default();
        let mut runs = runs.iter().peekable();
        for range in collected {
            while let Some(run) = runs.next_if(|run| run.from < range.start) {
                capped::add(&mut map.misplaced, run.objects);
            }
            map.cover_up_to(range.start, Fate::Untouched);
            while let Some(run) = runs.next_if(|run| run.from < range.end) {
                map.add_run(run);
            }
            map.cover_up_to(range.end, Fate::Dead);
        }
        capped::add(&mut map.misplaced, capped::sum(runs.map(|run| run.objects)));
        map
    }

    fn add_run(&mut self, run: &MoveRun) {
        let end = run.from.saturating_add(run.bytes);
        if run.from < self.end() {
            capped::add(&mut self.misplaced, run.objects);
            return;
        }
        self.cover_up_to(run.from, Fate::Dead);
        let fate = match run.found {
            Some(_) => Fate::Found,
            None => Fate::Survived(run.to.wrapping_sub(run.from)),
        };
        self.cover_up_to(end, fate);
    }

    fn end(&self) -> u64 {
        self.stretches.last().map_or(0, |last| last.end)
    }

    fn cover_up_to(&mut self, end: u64, fate: Fate) {
        if end <= self.end() {
            return;
        }
        let fate = PackedFate::new(fate);
        match self.stretches.last_mut() {
            Some(last) if last.fate == fate => last.end = end,
            _ => self.stretches.push(Stretch { end, fate }),
        }
    }

    /// Asks for fates; fast when questions are close to each other.
    pub fn cursor(&self) -> FateCursor<'_> {
        FateCursor {
            map: self,
            current: self.at(0),
            position: 0,
        }
    }

    /// The fate of the object that started at an address, for single questions.
    pub fn fate(&self, address: u64) -> Fate {
        let after = self
            .stretches
            .partition_point(|stretch| stretch.end <= address);
        let stretch = self.stretches.get(after);
        stretch.map_or(Fate::Untouched, |stretch| stretch.fate.fate())
    }

    fn at(&self, position: usize) -> Bounds {
        let before = position
            .checked_sub(1)
            .map(|before| self.stretches.get(before));
        let start = match before {
            None => 0,
            Some(before) => before.map_or(self.end(), |before| before.end),
        };
        let stretch = self.stretches.get(position);
        Bounds {
            start,
            end: stretch.map_or(u64::MAX, |stretch| stretch.end),
            fate: stretch.map_or(Fate::Untouched, |stretch| stretch.fate.fate()),
        }
    }
}

/// Looks up fates.
#[derive(Clone, Debug)]
pub struct FateCursor<'a> {
    map: &'a FateMap,
    current: Bounds,
    position: usize,
}

impl FateCursor<'_> {
    /// The fate of the object that started at an address.
    #[inline]
    pub fn fate(&mut self, address: u64) -> Fate {
        if address < self.current.start || address >= self.current.end {
            self.go_to(address);
        }
        self.current.fate
    }

    fn go_to(&mut self, address: u64) {
        let stretches = &self.map.stretches;
        // Events of a thread ascend within its buffer.
        let near = stretches.get(self.position..).unwrap_or_default();
        // The first that ends after the address, unless the address is before them all.
        let ends_after = |stretch: &Stretch| address < stretch.end;
        let steps = match address >= self.current.start {
            true => near.iter().take(3).position(ends_after),
            false => None,
        };
        self.position = match steps {
            Some(steps) => self.position + steps,
            None => stretches.partition_point(|stretch| stretch.end <= address),
        };
        self.current = self.map.at(self.position);
    }
}

/// Ranges in order, those that touch or overlap as one, empty ones left out.
pub fn merged(ranges: &[AddressRange]) -> Vec<AddressRange> {
    let not_empty = ranges.iter().copied().filter(|range| range.bytes() > 0);
    let mut sorted: Vec<AddressRange> = not_empty.collect();
    sorted.sort_unstable();
    sorted.dedup_by(|next, kept| {
        let joins = next.start <= kept.end;
        if joins {
            kept.end = kept.end.max(next.end);
        }
        joins
    });
    sorted
}

#[cfg(test)]
mod tests {
    use super::*;
    use ducktrack_trace_format::HeapClassId;

    fn range(start: u64, end: u64) -> AddressRange {
        AddressRange { start, end }
    }

    fn run(from: u64, to: u64, bytes: u64, objects: u64) -> MoveRun {
        MoveRun {
            from,
            to,
            bytes,
            objects,
            found: None,
        }
    }

    #[test]
    fn the_example() {
        let runs = [run(116, 500, 24, 3), run(160, 160, 8, 1)];
        let map = FateMap::new(&[range(100, 200)], &runs);
        assert_eq!(map.misplaced, 0);
        let mut cursor = map.cursor();
        for (address, fate) in [
            (99, Fate::Untouched),
            (100, Fate::Dead),
            (115, Fate::Dead),
            (116, Fate::Survived(384)),
            (139, Fate::Survived(384)),
            (140, Fate::Dead),
            (159, Fate::Dead),
            (160, Fate::Survived(0)),
            (199, Fate::Dead),
            (200, Fate::Untouched),
            (u64::MAX, Fate::Untouched),
            (124, Fate::Survived(384)),
            (8, Fate::Untouched),
        ] {
            assert_eq!(cursor.fate(address), fate, "{address}");
        }
    }

    #[test]
    fn a_run_may_leave_its_range_and_come_into_the_next() {
        // A huge object from 96 to 160; what follows it at once stayed, too. The ranges are where objects start.
        let ranges = [range(64, 128), range(160, 200)];
        let map = FateMap::new(&ranges, &[run(88, 88, 88, 4), run(184, 500, 8, 1)]);
        assert_eq!(map.misplaced, 0);
        let mut cursor = map.cursor();
        assert_eq!(cursor.fate(96), Fate::Survived(0));
        assert_eq!(cursor.fate(168), Fate::Survived(0));
        assert_eq!(cursor.fate(176), Fate::Dead);
        assert_eq!(cursor.fate(184), Fate::Survived(316));
    }

    #[test]
    fn nothing_is_collected() {
        assert_eq!(FateMap::default().cursor().fate(8), Fate::Untouched);
        assert_eq!(FateMap::new(&[], &[run(8, 8, 8, 1)]).misplaced, 1);
    }

    #[test]
    fn misplaced_runs_are_counted_and_ignored() {
        let runs = [
            run(0, 0, 8, 1),
            run(16, 800, 32, 2),
            run(40, 900, 16, 4),
            run(130, 0, 64, 8),
            run(512, 0, 8, 16),
        ];
        let map = FateMap::new(&[range(8, 128)], &runs);
        assert_eq!(map.misplaced, 1 + 4 + 8 + 16);
        assert_eq!(map.cursor().fate(40), Fate::Survived(784));
        assert_eq!(map.cursor().fate(48), Fate::Dead);
        assert_eq!(map.cursor().fate(127), Fate::Dead);
    }

    #[test]
    fn found_objects_have_a_fate_of_their_own() {
        let found = MoveRun {
            found: Some(HeapClassId(3)),
            ..run(16, 800, 16, 1)
        };
        let map = FateMap::new(&[range(8, 128)], &[found, run(32, 816, 16, 1)]);
        assert_eq!(map.cursor().fate(8), Fate::Dead);
        assert_eq!(map.cursor().fate(16), Fate::Found);
        assert_eq!(map.cursor().fate(32), Fate::Survived(784));
        assert_eq!(map.misplaced, 0);
    }

    #[test]
    fn ranges_are_joined() {
        let ranges = [
            range(30, 40),
            range(10, 20),
            range(20, 25),
            range(7, 7),
            range(12, 13),
        ];
        assert_eq!(merged(&ranges), [range(10, 25), range(30, 40)]);
    }
}
