//! Births and survivors of one origin by cell, kept up to date with each birth and death.

use ducktrack_leaks::Amount;

/// Amounts by cell; cells that were never needed are missing.
#[derive(Clone, Debug, Default)]
pub(crate) struct ByCell(pub(crate) Vec<Amount>);

impl ByCell {
    pub(crate) fn at(&mut self, cell: usize) -> &mut Amount {
        if self.0.len() <= cell {
            self.0.resize(cell + 1, Amount::default());
        }
        // In range: the list has just been made long enough.
        &mut self.0[cell]
    }

    fn fold(&mut self) {
        let sum = |pair: &[Amount]| pair.iter().copied().sum();
        self.0 = self.0.chunks(2).map(sum).collect();
    }

    fn fold_to_last(&mut self, is_last_known: &[bool]) {
        let pairs = self.0.chunks(2).zip(is_last_known);
        let last = |(pair, is_last): (&[Amount], &bool)| {
            let last = if *is_last { pair.get(1) } else { pair.first() };
            last.copied().unwrap_or_default()
        };
        self.0 = pairs.map(last).collect();
    }
}

/// When an object was born.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Born {
    /// `None`: before the span.
    pub(crate) cell: Option<usize>,
    /// The cell is a guess.
    pub(crate) is_undated: bool,
}

/// Live objects by cell of their birth.
#[derive(Clone, Debug, Default)]
pub(crate) struct Live {
    pub(crate) by_birth: ByCell,
    /// Some of these: their birth within the epoch is known only roughly.
    pub(crate) undated: ByCell,
    /// Born before the span.
    pub(crate) earlier: Amount,
    pub(crate) total: Amount,
}

impl Live {
    fn of(&mut self, cell: Option<usize>) -> &mut Amount {
        match cell {
            Some(cell) => self.by_birth.at(cell),
            None => &mut self.earlier,
        }
    }

    fn undated(&mut self, born: Born) -> Option<&mut Amount> {
        let cell = born.cell.filter(|_| born.is_undated)?;
        Some(self.undated.at(cell))
    }
}

/// Old objects that collections of part of the old space looked at, by the cell in which they did.
#[derive(Clone, Debug, Default)]
pub(crate) struct LooksByCell {
    pub(crate) alive: ByCell,
    pub(crate) dead: ByCell,
}

impl LooksByCell {
    /// Alive and dead, from this cell on: what was looked at earlier tells nothing of what is there now.
    pub(crate) fn since(&self, cell: usize) -> (u64, u64) {
        let sum = |by_cell: &ByCell| by_cell.0.iter().skip(cell).map(|one| one.objects).sum();
        (sum(&self.alive), sum(&self.dead))
    }
}

/// One origin.
#[derive(Clone, Debug, Default)]
pub(crate) struct Row {
    pub(crate) born: ByCell,
    pub(crate) live: Live,
    /// `live` at the look with the number `saved`, if anything has changed since.
    at_look: Live,
    saved: u32,
    /// Of `live`: in old spaces.
    pub(crate) old: ByCell,
    /// All live objects at the last look of each cell.
    pub(crate) levels: ByCell,
    /// Old objects that a collection of part of the old space looked at: alive, dead.
    pub(crate) looks: LooksByCell,
}

impl Row {
    fn touch(&mut self, look: u32) -> &mut Live {
        if self.saved != look {
            self.at_look.clone_from(&self.live);
            self.saved = look;
        }
        &mut self.live
    }

    pub(crate) fn add(&mut self, born: Born, amount: Amount, look: u32) {
        let live = self.touch(look);
        *live.of(born.cell) += amount;
        if let Some(undated) = live.undated(born) {
            *undated += amount;
        }
        live.total += amount;
    }

    pub(crate) fn remove(&mut self, born: Born, amount: Amount, look: u32) {
        let live = self.touch(look);
        let of = live.of(born.cell);
        *of = *of - amount;
        if let Some(undated) = live.undated(born) {
            *undated = *undated - amount;
        }
        live.total = live.total - amount;
    }

    /// The objects that were alive at the last look.
    pub(crate) fn at_look(&self, look: u32) -> &Live {
        match self.saved == look {
            true => &self.at_look,
            false => &self.live,
        }
    }

    pub(crate) fn clear(&mut self, look: u32) {
        *self.touch(look) = Live::default();
        self.old = ByCell::default();
    }

    /// Every two neighbouring cells become one; `is_last_known`: of each pair, whether a look was in the second.
    pub(crate) fn fold(&mut self, is_last_known: &[bool]) {
        self.born.fold();
        self.old.fold();
        for live in [&mut self.live, &mut self.at_look] {
            live.by_birth.fold();
            live.undated.fold();
        }
        self.looks.alive.fold();
        self.looks.dead.fold();
        self.levels.fold_to_last(is_last_known);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_look_is_remembered() {
        let born = |cell: Option<usize>| Born {
            cell,
            is_undated: cell == Some(3),
        };
        let mut row = Row::default();
        let one = Amount::of(1, 16);
        row.add(born(Some(0)), one, 0);
        row.add(born(Some(3)), one, 0);
        row.add(born(None), one, 0);
        // A look, then a death and a birth.
        row.remove(born(Some(3)), one, 1);
        row.add(born(Some(5)), one, 1);
        assert!(row.live.undated.0.iter().all(|amount| amount.is_zero()));
        assert_eq!(row.at_look(1).undated.0.last(), Some(&one));
        assert_eq!(
            row.at_look(1).by_birth.0,
            [one, Amount::default(), Amount::default(), one]
        );
        assert_eq!(row.at_look(1).total, Amount::of(3, 16));
        // Another, and nothing has happened since.
        assert_eq!(row.at_look(2).total, Amount::of(3, 16));
        row.fold(&[true; 3]);
        assert_eq!(row.at_look(2).by_birth.0, [one, Amount::default(), one]);
        row.clear(2);
        assert_eq!(
            (row.live.total, row.at_look(2).total),
            (Amount::default(), Amount::of(3, 16))
        );
    }
}
