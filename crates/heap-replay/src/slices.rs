//! Slices of an epoch: parts of about equal length on the clock of allocated bytes, for runs with few collections.
//!
//! An epoch's events come in pieces: those of one thread in order, with the time at which the piece was begun
//! and handed over. A first pass over the pieces sums up their bytes. Each is taken to allocate evenly from
//! its begin to its end, so that the bytes allocated up to any moment are known, and the moments at which the
//! clock had passed each part of the epoch. Within its piece an event has its place by the bytes before it.
//!
//! Where in its time a thread allocated is not known. That matters only if
//! others allocate a lot meanwhile ([`FUZZY`]): such objects are *undated*.

use ducktrack_trace_format::{EventBlockHeader, ThreadId};
use rustc_hash::FxHashMap;

/// The most slices. A run of one epoch then has two for each cohort.
pub(crate) const MOST: u64 = 32;
/// While a piece was under way others allocated at least this part of the run so far: its objects are undated. An
/// object misplaced by less is in the right half of the run, and halves show whether it grows as a line or as a step.
const FUZZY: f64 = 0.25;

/// A part of an epoch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Slice {
    /// Bytes allocated in it.
    pub bytes: u64,
    /// When it ended, microseconds since 1970. 0: with its epoch.
    pub end_micros: u64,
}

/// Bytes of one piece, and its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PieceSpan {
    thread: ThreadId,
    begun: u64,
    handed_over: u64,
    bytes: u64,
}

impl PieceSpan {
    pub(crate) fn new(header: &EventBlockHeader, bytes: u64) -> Self {
        Self {
            thread: header.thread,
            begun: header.begun,
            // A piece takes time.
            handed_over: header.handed_over.max(header.begun.saturating_add(1)),
            bytes,
        }
    }

    fn micros(&self) -> f64 {
        self.handed_over.saturating_sub(self.begun).max(1) as f64
    }
}

/// The slices of an epoch, and which events are in which.
#[derive(Clone, Debug)]
pub(crate) struct Slicing {
    /// When each ends but the last.
    ends: Vec<u64>,
    last_end: u64,
    pieces: FxHashMap<(ThreadId, u64), (PieceSpan, bool)>,
}

impl Slicing {
    /// So many slices, of a run that had allocated so much before.
    pub(crate) fn of(pieces: &[PieceSpan], slices: u64, bytes_before: u64) -> Self {
        let passed = Passed::of(pieces);
        let all = passed.all();
        let ends = 1..slices;
        let most = FUZZY * (all + bytes_before as f64);
        let is_fuzzy = |piece: &PieceSpan| {
            let meanwhile = passed.at(piece.handed_over) - passed.at(piece.begun);
            meanwhile - piece.bytes as f64 > most
        };
        let known = pieces.iter().map(|piece| {
            let key = (piece.thread, piece.begun);
            (key, (*piece, is_fuzzy(piece)))
        });
        Self {
            ends: ends
                .map(|slice| passed.moment(all * slice as f64 / slices as f64))
                .collect(),
            last_end: pieces
                .iter()
                .map(|piece| piece.handed_over)
                .max()
                .unwrap_or(0),
            pieces: known.collect(),
        }
    }

    /// When each slice ends.
    pub(crate) fn ends(&self) -> impl Iterator<Item = u64> {
        self.ends.iter().copied().chain([self.last_end])
    }

    /// Where the events of a piece are.
    pub(crate) fn piece(&self, header: &EventBlockHeader) -> PieceSlices<'_> {
        let span = PieceSpan::new(header, 0);
        let known = self.pieces.get(&(header.thread, header.begun));
        let (span, is_undated) = known.copied().unwrap_or((span, true));
        let first = self.ends.partition_point(|end| *end <= span.begun);
        let mut slices = PieceSlices {
            span,
            is_undated,
            slice: first,
            ends: self.ends.get(first..).unwrap_or_default(),
            next: 0,
        };
        slices.set_next();
        slices
    }
}

/// The slices of a piece's events, in their order.
#[derive(Clone, Debug)]
pub(crate) struct PieceSlices<'a> {
    span: PieceSpan,
    pub(crate) is_undated: bool,
    slice: usize,
    /// When this slice and those after it end.
    ends: &'a [u64],
    /// At so many bytes of the piece the next slice begins.
    next: u64,
}

impl PieceSlices<'_> {
    /// The slice of an event after so many bytes of the piece.
    #[inline]
    pub(crate) fn at(&mut self, bytes: u64) -> u8 {
        while bytes >= self.next && !self.ends.is_empty() {
            self.slice += 1;
            self.ends = self.ends.get(1..).unwrap_or_default();
            self.set_next();
        }
        self.slice as u8
    }

    fn set_next(&mut self) {
        let end = self
            .ends
            .first()
            .filter(|end| **end < self.span.handed_over);
        self.next = end.map_or(u64::MAX, |end| {
            let share = end.saturating_sub(self.span.begun) as f64 / self.span.micros();
            (share * self.span.bytes as f64).ceil() as u64
        });
    }
}

/// Bytes allocated up to a moment: a line between each two of these points.
struct Passed(Vec<(u64, f64)>);

impl Passed {
    fn of(pieces: &[PieceSpan]) -> Self {
        let rate = |piece: &PieceSpan| piece.bytes as f64 / piece.micros();
        let begins = pieces.iter().map(|piece| (piece.begun, rate(piece)));
        let ends = pieces.iter().map(|piece| (piece.handed_over, -rate(piece)));
        let mut changes: Vec<(u64, f64)> = begins.chain(ends).collect();
        changes.sort_by(|a, b| a.0.cmp(&b.0).then(b.1.total_cmp(&a.1)));
        let (mut points, mut rate, mut passed) = (Vec::with_capacity(changes.len()), 0.0_f64, 0.0);
        let mut before = changes.first().map_or(0, |change| change.0);
        for (at, change) in changes {
            passed += rate.max(0.0) * at.saturating_sub(before) as f64;
            points.push((at, passed));
            (before, rate) = (at, rate + change);
        }
        Self(points)
    }

    fn all(&self) -> f64 {
        self.0.last().map_or(0.0, |point| point.1)
    }

    fn at(&self, micros: u64) -> f64 {
        let after = self.0.partition_point(|point| point.0 < micros);
        match (
            after.checked_sub(1).and_then(|at| self.0.get(at)),
            self.0.get(after),
        ) {
            (Some(a), Some(b)) => {
                let share = (micros - a.0) as f64 / b.0.saturating_sub(a.0).max(1) as f64;
                a.1 + share * (b.1 - a.1)
            }
            (None, _) => 0.0,
            (Some(last), None) => last.1,
        }
    }

    /// When so many bytes had passed.
    fn moment(&self, bytes: f64) -> u64 {
        let after = self.0.partition_point(|point| point.1 < bytes);
        match (
            after.checked_sub(1).and_then(|at| self.0.get(at)),
            self.0.get(after),
        ) {
            (Some(a), Some(b)) => {
                let share = (bytes - a.1) / (b.1 - a.1).max(f64::MIN_POSITIVE);
                a.0 + (share.min(1.0) * b.0.saturating_sub(a.0) as f64).round() as u64
            }
            (None, first) => first.map_or(0, |point| point.0),
            (Some(last), None) => last.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ducktrack_trace_format::EventFlags;

    fn header(thread: u32, begun: u64, handed_over: u64) -> EventBlockHeader {
        EventBlockHeader {
            thread: ThreadId(thread),
            epoch: 0,
            begun,
            handed_over,
            flags: EventFlags::NONE,
            last_top: 0,
        }
    }

    #[test]
    fn one_thread_is_in_its_own_order() {
        // It pauses in the middle of one piece: on the clock there is no pause.
        let headers = [
            header(1, 0, 100_000),
            header(1, 100_000, 100_000_000),
            header(1, 100_000_000, 100_100_000),
        ];
        let pieces = headers.map(|header| PieceSpan::new(&header, 800));
        let slicing = Slicing::of(&pieces, 24, 0);
        let mut slices = Vec::new();
        for header in &headers {
            let mut of_piece = slicing.piece(header);
            assert!(!of_piece.is_undated);
            slices.extend((0..8).map(|event| of_piece.at(event * 100)));
        }
        assert_eq!(slices, (0..24).collect::<Vec<u8>>());
        assert_eq!(slicing.ends().last(), Some(100_100_000));
    }

    #[test]
    fn a_piece_that_others_overtake_is_undated() {
        let mut headers = vec![header(7, 0, 1_000)];
        headers.extend((0..10).map(|at| header(1, at * 100, at * 100 + 100)));
        let pieces: Vec<PieceSpan> = headers
            .iter()
            .map(|header| PieceSpan::new(header, 1_000))
            .collect();
        let slicing = Slicing::of(&pieces, 10, 0);
        assert!(slicing.piece(&headers[0]).is_undated);
        assert!(
            headers[1..]
                .iter()
                .all(|header| !slicing.piece(header).is_undated)
        );
        // In a run that is much longer it is misplaced by little.
        assert!(
            !Slicing::of(&pieces, 10, 1_000_000)
                .piece(&headers[0])
                .is_undated
        );
        // A piece that the first pass did not see.
        assert!(slicing.piece(&header(9, 5, 6)).is_undated);
    }

    #[test]
    fn pieces_of_no_bytes_have_slices() {
        let slicing = Slicing::of(&[PieceSpan::new(&header(1, 5, 5), 0)], 32, 0);
        assert!(slicing.piece(&header(1, 5, 5)).at(0) < 32);
        // Sums stop at the largest number.
        assert!(slicing.piece(&header(1, 5, 5)).at(u64::MAX) < 32);
        assert!(Slicing::of(&[], 32, 0).piece(&header(1, 5, 5)).at(u64::MAX) < 32);
        assert_eq!(Slicing::of(&[], 32, 0).ends().count(), 32);
    }
}
