//! The parts of each line of source that a dump shows to be no leak, by the cell of birth: what only soft references
//! hold, which the JVM clears before the heap is full, and what only spent entries of weak tables hold, which are dead.

use ducktrack_analyses::{ObjectMaker, SurvivorRow, Survivors};
use ducktrack_holders::Holdings;
use ducktrack_leaks::History;

/// The part of a line's objects that a row is about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Part {
    /// All of them: none is held softly, or nobody knows.
    #[default]
    All,
    /// Those that are held without soft references.
    Firm,
    /// Those that only soft references hold.
    Soft,
}

/// Bytes in the dump: all, those that only soft references hold, and those that only spent entries hold.
#[derive(Clone, Copy, Debug, Default)]
struct Share {
    all: u64,
    soft: u64,
    spent: u64,
}

impl Share {
    fn add(&mut self, other: Self) {
        self.all += other.all;
        self.soft += other.soft;
        self.spent += other.spent;
    }

    fn of_soft(self) -> Option<f64> {
        (self.all > 0).then(|| self.soft as f64 / self.all as f64)
    }

    /// Of those that are held without soft references: the dead ones.
    fn of_spent(self) -> Option<f64> {
        let firm = self.all.saturating_sub(self.soft);
        (firm > 0).then(|| self.spent as f64 / firm as f64)
    }
}

/// Shares by cell of birth; the last is of what was born before the span.
type Shares = Vec<Share>;

/// What only soft references hold in a dump whose objects have sites.
pub(crate) struct SoftlyHeld<'a> {
    holdings: &'a Holdings,
    /// By object; empty: there are none.
    is_soft: Vec<bool>,
    /// By object; empty: there are none.
    is_spent: Vec<bool>,
    /// The shares of each maker that has softly held or spent objects.
    of_maker: Vec<(u32, Shares)>,
    /// Bytes of all objects that soft references alone hold.
    pub(crate) bytes: u64,
}

impl<'a> SoftlyHeld<'a> {
    /// By sites: without these, objects of one type may be of many lines.
    pub(crate) fn of(holdings: &'a Holdings, survivors: &Survivors) -> Self {
        let dump = &holdings.dump;
        let (is_soft, is_spent) = match dump.without_sites {
            Some(_) => Default::default(),
            None => (holdings.softly_held(), holdings.held_by_spent_entries()),
        };
        let is_of = |list: &[bool], object: u32| list.get(object as usize) == Some(&true);
        let objects = 0..dump.graph.objects();
        let apart = objects.filter(|object| is_of(&is_soft, *object) || is_of(&is_spent, *object));
        let mut shares: Vec<Option<Shares>> = vec![None; dump.makers.len()];
        let mut bytes = 0;
        let cells = survivors.clock.cells().len();
        for object in apart {
            bytes += if is_of(&is_soft, object) {
                dump.bytes(object)
            } else {
                0
            };
            let maker = dump.maker_number(object);
            if let Some(shares) = maker.and_then(|maker| shares.get_mut(maker as usize)) {
                shares.get_or_insert_with(|| vec![Share::default(); cells + 1]);
            }
        }
        for object in 0..dump.graph.objects() {
            let maker = dump.maker_number(object);
            let shares = maker.and_then(|maker| shares.get_mut(maker as usize)?.as_mut());
            let Some(shares) = shares else { continue };
            let all = dump.bytes(object);
            let is_spent = is_of(&is_spent, object);
            let share = Share {
                all,
                soft: if is_of(&is_soft, object) && !is_spent {
                    all
                } else {
                    0
                },
                spent: if is_spent { all } else { 0 },
            };
            let birth = dump.collection.saturating_sub(dump.age(object));
            let Some(born) = survivors.epoch_cells.of(birth) else {
                continue;
            };
            let before = born.is_empty().then_some(cells);
            for cell in born.filter(|cell| *cell < cells).chain(before) {
                if let Some(sum) = shares.get_mut(cell) {
                    sum.add(share);
                }
            }
        }
        let of_maker = (0_u32..).zip(shares);
        Self {
            holdings,
            of_maker: of_maker
                .filter_map(|(maker, shares)| Some((maker, shares?)))
                .collect(),
            is_soft,
            is_spent,
            bytes,
        }
    }

    /// The histories of the parts of a row. `None`: all of it is held firmly.
    pub(crate) fn parts(&self, row: &SurvivorRow) -> Option<[(Part, History); 2]> {
        let mut sums: Shares = Vec::new();
        for (maker, shares) in &self.of_maker {
            let maker = self.holdings.dump.makers.get(*maker as usize);
            if maker.is_some_and(|maker| is_of_row(maker, row)) {
                sums.resize(shares.len(), Share::default());
                let sums = sums.iter_mut().zip(shares);
                sums.for_each(|(sum, share)| sum.add(*share));
            }
        }
        let before = sums.len().checked_sub(1)?;
        let whole = sums.iter().fold(Share::default(), |mut whole, share| {
            whole.add(*share);
            whole
        });
        whole.of_soft()?;
        let of_cell = |cell: Option<usize>, share: fn(Share) -> Option<f64>| {
            let of_cell = sums.get(cell.unwrap_or(before));
            let of_cell = of_cell.and_then(|sum| share(*sum));
            of_cell.or_else(|| share(whole)).unwrap_or(0.0)
        };
        let soft = |cell| of_cell(cell, Share::of_soft);
        let firm = row.history.part(|cell| 1.0 - soft(cell));
        Some([
            (
                Part::Firm,
                firm.without_dead(|cell| of_cell(cell, Share::of_spent)),
            ),
            (Part::Soft, row.history.part(soft)),
        ])
    }

    /// True of objects that a row about this part is about.
    pub(crate) fn is_of(&self, part: Part, object: u32) -> bool {
        let is_soft = self.is_soft.get(object as usize) == Some(&true);
        let is_spent = self.is_spent.get(object as usize) == Some(&true);
        match part {
            Part::All => true,
            Part::Firm => !is_soft && !is_spent,
            Part::Soft => is_soft && !is_spent,
        }
    }
}

/// The maker in the dump is one of the row.
pub(crate) fn is_of_row(maker: &ObjectMaker, row: &SurvivorRow) -> bool {
    let is_site = maker.site.is_some_and(|site| row.sites.contains(&site));
    let is_call = maker.call.is_some_and(|call| row.calls.contains(&call));
    (is_site || maker.site.is_none() && row.site.is_none())
        && (is_call || maker.call.is_none() && row.call.is_none())
        && maker.ty == row.ty
}

#[cfg(test)]
mod tests {
    use ducktrack_count_model::{CallIndex, SiteIndex};

    use super::*;

    #[test]
    fn what_a_line_makes_for_another_caller_is_of_another_row() {
        let site = SiteIndex::at(3);
        let maker = |call: Option<usize>| ObjectMaker {
            site: Some(site),
            call: call.map(CallIndex::at),
            ..ObjectMaker::default()
        };
        let row = |call: Option<usize>| SurvivorRow {
            site: Some(site),
            sites: vec![site],
            call: call.map(CallIndex::at),
            calls: call.map(CallIndex::at).into_iter().collect(),
            ..SurvivorRow::default()
        };
        for (of_maker, of_row) in [(Some(1), Some(2)), (None, Some(1)), (Some(1), None)] {
            assert!(!is_of_row(&maker(of_maker), &row(of_row)));
            assert!(is_of_row(&maker(of_maker), &row(of_maker)));
        }
    }
}
