//! What piles up in one structure is one candidate: the keys, entries and values of a map are no three leaks, whatever the ratios in which they rise.

use ducktrack_leaks::Forecast;

use super::document::{CandidateDoc, FollowerDoc};
use crate::event_trace::amounts::ratio;

/// Candidates of one structure and verdict become one, that which keeps most; the others are among those that rise with it.
pub(super) fn folded(candidates: Vec<CandidateDoc>, forecast: &Forecast) -> Vec<CandidateDoc> {
    let mut folded: Vec<CandidateDoc> = Vec::with_capacity(candidates.len());
    for row in candidates {
        let same = folded.iter_mut().find(|known| is_same(known, &row));
        match same {
            Some(known) => absorb(known, row, forecast),
            None => folded.push(row),
        }
    }
    folded
}

fn is_same(known: &CandidateDoc, row: &CandidateDoc) -> bool {
    let object = |row: &CandidateDoc| row.structure.as_ref()?.object;
    let is_alike = (&known.verdict, known.alarm) == (&row.verdict, row.alarm);
    is_alike && object(row).is_some() && object(known) == object(row)
}

fn absorb(known: &mut CandidateDoc, row: CandidateDoc, forecast: &Forecast) {
    known.kept_bytes = known.kept_bytes.saturating_add(row.kept_bytes);
    let (sum, part) = (&mut known.bytes_per_mb, row.bytes_per_mb);
    sum.value = ratio(sum.value + part.value);
    sum.low = ratio(sum.low + part.low);
    sum.high = ratio(sum.high + part.high);
    known.bytes_per_second = ratio(forecast.per_second(known.bytes_per_mb.value));
    known.seconds_until_full = forecast
        .seconds_until_full(known.bytes_per_mb.value)
        .map(ratio);
    for (sum, bytes) in known.curve.iter_mut().zip(&row.curve) {
        *sum = sum.saturating_add(*bytes);
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

    fn row(target: &str, object: Option<u32>, kept: i64) -> CandidateDoc {
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
                object,
                added: None,
            }),
            ..CandidateDoc::default()
        }
    }

    #[test]
    fn entries_and_values_of_a_map_are_one() {
        let rows = vec![
            row("a.Value", Some(7), 800),
            row("b.Other", Some(8), 500),
            row("a.Entry", Some(7), 300),
            row("c.Unknown", None, 200),
            row("c.Unknown2", None, 100),
            CandidateDoc {
                alarm: false,
                ..row("a.Key", Some(7), 20)
            },
        ];
        let forecast = Forecast::of(&Default::default(), Default::default(), 0);
        let rows = folded(rows, &forecast);
        let kept: Vec<_> = rows
            .iter()
            .map(|row| (row.target.as_str(), row.kept_bytes))
            .collect();
        let expected = [
            ("a.Value", 1100),
            ("b.Other", 500),
            ("c.Unknown", 200),
            ("c.Unknown2", 100),
            ("a.Key", 20),
        ];
        assert_eq!(kept, expected);
        let first = &rows[0];
        assert_eq!(first.curve, [2, 1100]);
        assert_eq!(
            (first.with[0].target.as_str(), first.with[0].each),
            ("a.Entry", 0)
        );
        assert_eq!(first.bytes_per_mb.value, 1100.0);
    }
}
