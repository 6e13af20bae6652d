//! Which sites and types grow.

use ducktrack_analyses::{
    Growth, GrowthPoint, GrowthRow, GrowthSubject, GrowthVerdict, OldSpaceLook, StretchGrowth,
};
use ducktrack_heap_replay::{CollectionNumber, KnownStretch};
use ducktrack_live_heap::Amount;

use super::{Heap, OF_THE_VM, START, STEP};

impl Heap<'_> {
    pub(super) fn growth(&self) -> Growth {
        let last = self.collections - 1;
        let mut rows: Vec<GrowthRow> = self
            .sites
            .iter()
            .filter(|site| self.live(**site, last).count > 0)
            .map(|site| {
                let series: Vec<Amount> = (0..=last).map(|at| self.live(*site, at)).collect();
                let subject = GrowthSubject::Site(Some(*site));
                GrowthRow {
                    callers: self.live_callers(*site, self.live(*site, last)),
                    ..verdict(subject, site.get(), self.size(*site), &series)
                }
            })
            .collect();
        let vm = vec![OF_THE_VM; self.collections as usize];
        rows.push(verdict(GrowthSubject::Site(None), 1, 32, &vm));
        for (ty, _) in self.types(last) {
            let of_type = |at: u32| {
                let found = self.types(at).into_iter().find(|(other, _)| *other == ty);
                found.map_or_else(Amount::default, |(_, live)| live)
            };
            let series: Vec<Amount> = if self.sites.len() < 100 {
                (0..=last).map(of_type).collect()
            } else {
                vec![of_type(last)]
            };
            rows.push(verdict(GrowthSubject::Type(ty), 1, 8, &series));
        }
        rows.sort_by_key(|row| (row.judged.verdict, std::cmp::Reverse(row.live.bytes)));
        let growing = |(at, row): (usize, &GrowthRow)| {
            let is_site = matches!(row.subject, GrowthSubject::Site(_));
            (is_site && row.judged.verdict == GrowthVerdict::Growing).then_some(at)
        };
        let group = rows.iter().enumerate().filter_map(growing).collect();
        Growth {
            rows,
            last_look: Some(OldSpaceLook {
                collection: CollectionNumber(10),
                unix_micros: START + STEP * 10,
                is_full: true,
            }),
            groups: vec![group],
            windows: Vec::new(),
            collections: u64::from(self.collections),
            known: true,
            stretches: vec![KnownStretch {
                since: CollectionNumber(0),
                until: CollectionNumber(self.collections),
            }],
        }
    }
}

fn verdict(subject: GrowthSubject, position: usize, size: u64, live: &[Amount]) -> GrowthRow {
    let (verdict, slope) = match position % 4 {
        2 => (GrowthVerdict::Growing, 10.0),
        3 => (GrowthVerdict::Periodic, 0.0),
        _ => (GrowthVerdict::Bounded, 0.0),
    };
    let judged = StretchGrowth {
        verdict,
        confidence: 0.9875,
        slope_count: slope,
        slope_bytes: slope * size as f64,
        count_per_second: slope * 20.0,
        bytes_per_second: slope * 20.0 * size as f64,
        ..StretchGrowth::UNKNOWN
    };
    GrowthRow {
        subject,
        judged,
        stretch: 0,
        stretches: vec![judged],
        live: live.last().copied().unwrap_or_default(),
        unseen: Amount::default(),
        callers: Vec::new(),
        in_windows: Vec::new(),
        series: (0..)
            .zip(live)
            .map(|(collection, live)| GrowthPoint {
                collection,
                unix_micros: START + STEP * u64::from(collection + 1) + 4_000,
                live: *live,
            })
            .collect(),
    }
}
