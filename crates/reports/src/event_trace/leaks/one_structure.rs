//! What piles up in one structure is one candidate: the keys, entries and values of a map are no three leaks, whatever the ratios in which they rise, nor are
//! the classes, methods and names of a class loader.

use ducktrack_holders::{Holdings, PathNumber};
use ducktrack_leaks::Forecast;

use super::candidates::Candidate;
use super::document::{CandidateDoc, FollowerDoc};
use super::held::makers;
use crate::event_trace::amounts::ratio;

/// Candidates, each with a structure of its own.
pub(super) struct Structures<'a> {
    holdings: Option<&'a Holdings>,
    forecast: &'a Forecast,
    candidates: Vec<CandidateDoc>,
    /// What hangs on the structures of candidates, by their places.
    contents: Vec<(usize, Contents)>,
}

/// What hangs on one structure.
struct Contents {
    /// For each maker of the dump its objects there, and all of them.
    of_maker: Vec<(u32, u32)>,
}

impl<'a> Structures<'a> {
    pub(super) fn new(holdings: Option<&'a Holdings>, forecast: &'a Forecast) -> Self {
        Self {
            holdings,
            forecast,
            candidates: Vec::new(),
            contents: Vec::new(),
        }
    }

    /// A candidate becomes part of the one before it in the same structure; else it has one of its own.
    pub(super) fn add(&mut self, doc: CandidateDoc, candidate: &Candidate<'_>) {
        let same = match within(&doc) {
            Some(path) => self.place_of(path),
            None if doc.root.is_none() => self.home(candidate),
            None => None,
        };
        let known = same.and_then(|place| self.candidates.get_mut(place));
        match known.filter(|known| known.alarm || !doc.alarm) {
            Some(known) => absorb(known, doc, self.forecast),
            None => self.push(doc),
        }
    }

    fn push(&mut self, doc: CandidateDoc) {
        if let Some((holdings, path)) = self.holdings.zip(within(&doc)) {
            let contents = Contents::of(holdings, path);
            self.contents.push((self.candidates.len(), contents));
        }
        self.candidates.push(doc);
    }

    fn place_of(&self, path: PathNumber) -> Option<usize> {
        self.candidates
            .iter()
            .position(|known| within(known) == Some(path))
    }

    /// The structure on which most of its objects hang, of a candidate whose own path is not known.
    fn home(&self, candidate: &Candidate<'_>) -> Option<usize> {
        let (holdings, driver) = self.holdings.zip(candidate.rows.first())?;
        let its = makers(holdings, driver);
        let is_most = |contents: &Contents| {
            let counts = its
                .iter()
                .filter_map(|maker| contents.of_maker.get(*maker as usize));
            let (there, all) = counts.fold((0_u64, 0_u64), |sum, (there, all)| {
                (sum.0 + u64::from(*there), sum.1 + u64::from(*all))
            });
            2 * there > all
        };
        let mut contents = self.contents.iter();
        contents
            .find(|(_, contents)| is_most(contents))
            .map(|(place, _)| *place)
    }

    pub(super) fn into_candidates(self) -> Vec<CandidateDoc> {
        self.candidates
    }
}

fn within(doc: &CandidateDoc) -> Option<PathNumber> {
    doc.structure.as_ref()?.within
}

impl Contents {
    /// A path stands after those that it goes on from, so one walk finds what goes on from this one.
    fn of(holdings: &Holdings, within: PathNumber) -> Self {
        let mut is_there: Vec<bool> = Vec::with_capacity(holdings.paths.paths().len());
        for (number, path) in (0_u32..).zip(holdings.paths.paths()) {
            let before = path
                .before
                .and_then(|before| is_there.get(before.0 as usize));
            let is_its = before.copied().unwrap_or(false) || PathNumber(number) == within;
            is_there.push(is_its);
        }
        let mut of_maker = vec![(0, 0); holdings.dump.makers.len()];
        for object in 0..holdings.dump.graph.objects() {
            let maker = holdings.dump.maker_number(object);
            let Some(counts) = maker.and_then(|maker| of_maker.get_mut(maker as usize)) else {
                continue;
            };
            let path = holdings.paths.of(object);
            let is_its = path.and_then(|path| is_there.get(path.0 as usize));
            counts.0 += u32::from(is_its == Some(&true));
            counts.1 += 1;
        }
        Self { of_maker }
    }
}

/// Only what has the same verdict adds to its rate.
fn absorb(known: &mut CandidateDoc, row: CandidateDoc, forecast: &Forecast) {
    if known.verdict == row.verdict {
        known.kept_bytes = known.kept_bytes.saturating_add(row.kept_bytes);
        let (sum, part) = (&mut known.bytes_per_mb, row.bytes_per_mb);
        sum.value = ratio(sum.value + part.value);
        sum.low = ratio(sum.low + part.low);
        sum.high = ratio(sum.high + part.high);
        known.bytes_per_second = ratio(forecast.per_second(known.bytes_per_mb.value));
        known.seconds_until_full = forecast
            .seconds_until_full(known.bytes_per_mb.value)
            .filter(|_| !known.slows)
            .map(ratio);
        for (sum, bytes) in known.curve.iter_mut().zip(&row.curve) {
            *sum = sum.saturating_add(*bytes);
        }
    }
    let own: i64 = row.with.iter().map(|with| with.kept_bytes).sum();
    known.with.push(FollowerDoc {
        target: row.target,
        made: row.made,
        each: 0,
        kept_bytes: row.kept_bytes.saturating_sub(own),
    });
    let with = row.with.into_iter();
    known
        .with
        .extend(with.map(|with| FollowerDoc { each: 0, ..with }));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event_trace::holder_docs::StructureDoc;
    use crate::event_trace::leaks::IntervalDoc;

    fn row(target: &str, within: Option<u32>, kept: i64) -> CandidateDoc {
        CandidateDoc {
            verdict: "leaks".to_owned(),
            alarm: true,
            target: target.to_owned(),
            kept_bytes: kept,
            bytes_per_mb: IntervalDoc {
                value: kept as f64,
                low: 0.0,
                high: kept as f64,
            },
            curve: vec![1, kept as u64],
            structure: Some(StructureDoc {
                piles_up: 1,
                retained: 0,
                field_step: Some(0),
                field: Some("a.Cache.results".to_owned()),
                within: within.map(PathNumber),
                added: None,
            }),
            ..CandidateDoc::default()
        }
    }

    #[test]
    fn entries_and_values_of_a_map_are_one() {
        let fills = CandidateDoc {
            verdict: "fills".to_owned(),
            alarm: false,
            ..row("a.Key", Some(7), 20)
        };
        let small = CandidateDoc {
            alarm: false,
            ..row("d.Small", Some(9), 10)
        };
        let rows = vec![
            row("a.Value", Some(7), 800),
            row("b.Other", Some(8), 500),
            row("a.Entry", Some(7), 300),
            row("c.Unknown", None, 200),
            row("c.Unknown2", None, 100),
            fills,
            small,
            row("d.Large", Some(9), 5),
        ];
        let forecast = Forecast::of(&Default::default(), Default::default(), 0);
        let mut structures = Structures::new(None, &forecast);
        for doc in rows {
            let rows = Vec::new();
            structures.add(doc.clone(), &Candidate { rows, doc });
        }
        let rows = structures.into_candidates();
        let kept: Vec<_> = rows
            .iter()
            .map(|row| (row.target.as_str(), row.kept_bytes))
            .collect();
        let expected = [
            ("a.Value", 1100),
            ("b.Other", 500),
            ("c.Unknown", 200),
            ("c.Unknown2", 100),
            ("d.Small", 10),
            ("d.Large", 5),
        ];
        assert_eq!(kept, expected);
        let first = &rows[0];
        assert_eq!(first.curve, [2, 1100]);
        let with: Vec<_> = first.with.iter().map(|one| one.target.as_str()).collect();
        assert_eq!(with, ["a.Entry", "a.Key"]);
        assert_eq!(first.bytes_per_mb.value, 1100.0);
    }
}
