//! Births and survivors of the sample: the first site leaks, the second is replaced, the third fills, the others were there from the start.

use ducktrack_analyses::{EpochCells, OldSpaceLook, SurvivorRow, Survivors};
use ducktrack_count_model::SiteIndex;
use ducktrack_heap_replay::CollectionNumber;
use ducktrack_leaks::{Amount, Cell, Clock, Death, History};

use super::{Heap, START};

/// Cells of the clock.
const CELLS: u64 = 16;

impl Heap<'_> {
    /// One row for each site.
    pub(super) fn survivors(&self) -> Survivors {
        let cell = Cell {
            bytes: 1 << 20,
            micros: 10_000,
        };
        let rows: Vec<SurvivorRow> = (0..)
            .zip(&self.sites)
            .map(|(at, site)| self.row(at, *site))
            .collect();
        Survivors {
            clock: Clock::new(vec![cell; CELLS as usize]),
            cell_ends: (1..=CELLS).map(|cell| START + 10_000 * cell).collect(),
            epoch_cells: EpochCells::default(),
            start_micros: START,
            live: rows.iter().map(|row| row.history.live()).sum(),
            rows,
            look: Some(OldSpaceLook {
                collection: CollectionNumber(self.collections),
                unix_micros: START + 10_000 * CELLS,
            }),
            is_at_look: true,
            last_full: None,
            allocated_after: 0,
            alive_since_look: 0,
            alive_after: Amount::default(),
            unjudged: 0,
            lost: 0,
            collections: self.collections,
            known: true,
        }
    }

    fn row(&self, at: usize, site: SiteIndex) -> SurvivorRow {
        let one = |cell: u64, objects: u64| {
            let kept = match at {
                0 => objects,
                1 if cell + 2 >= CELLS => objects,
                2 => objects >> cell,
                3.. if cell == 0 => objects,
                _ => 0,
            };
            Amount::of(kept, self.size(site))
        };
        let born = Amount::of(400, self.size(site));
        let kept: Vec<Amount> = (0..CELLS).map(|cell| one(cell, 400)).collect();
        let gone = kept.iter().enumerate().filter(|_| at == 1);
        let deaths = gone
            .filter(|(_, kept)| kept.is_zero())
            .map(|(cell, _)| Death {
                born: cell,
                seen: cell + 1,
                died: cell + 2,
                amount: born,
            });
        SurvivorRow {
            site: Some(site),
            call: None,
            ty: self.count.site(site).ty.clone(),
            loaders: 1,
            sites: vec![site],
            calls: Vec::new(),
            history: History {
                born: vec![born; CELLS as usize],
                deaths: deaths.collect(),
                kept,
                ..History::default()
            },
        }
    }
}
