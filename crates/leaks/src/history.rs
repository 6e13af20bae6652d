//! What became of the objects of a subject, by when they were born.

use crate::amount::Amount;
use crate::clock::Clock;
use crate::cohorts::Cohorts;

/// Objects of a cell that died later.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Death {
    /// The cell of their birth.
    pub born: usize,
    /// The last cell in which a collection found them alive; that of their birth: none did.
    pub seen: usize,
    /// The cell in which a collection found them dead.
    pub died: usize,
    /// How many.
    pub amount: Amount,
}

/// Births and survivors of a subject. Lists are by cell of the clock; what they leave out is zero.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct History {
    /// Born in each cell. Empty: not recorded.
    pub born: Vec<Amount>,
    /// Of these: alive when the span is judged.
    pub kept: Vec<Amount>,
    /// Of `kept`: in old spaces, and not looked at by any collection since they came there.
    pub unseen: Vec<Amount>,
    /// Objects that collections found dead in a later cell than that of their birth.
    pub deaths: Vec<Death>,
    /// Of each cell: dead by what a dump knows, and alive for the collector. They lived as long as anything that stays.
    pub spent: Vec<Amount>,
    /// All of its live objects at the last collection of each cell that looked at all of the old space. `None`: none did.
    pub levels: Vec<Option<Amount>>,
    /// Alive, and born before the span.
    pub earlier: Amount,
    /// Old objects that collections of the second half of the span looked at, in part of the old space: alive and dead.
    pub looks: (u64, u64),
}

impl History {
    /// Adds another subject.
    pub fn add(&mut self, other: &Self) {
        add(&mut self.born, &other.born);
        add(&mut self.kept, &other.kept);
        add(&mut self.unseen, &other.unseen);
        add(&mut self.spent, &other.spent);
        self.deaths.extend_from_slice(&other.deaths);
        for (at, level) in other.levels.iter().enumerate() {
            if self.levels.len() <= at {
                self.levels.resize(at + 1, None);
            }
            if let (Some(sum), Some(level)) = (self.levels.get_mut(at), level) {
                *sum = Some(sum.unwrap_or_default() + *level);
            }
        }
        self.earlier += other.earlier;
        self.looks = (
            self.looks.0.saturating_add(other.looks.0),
            self.looks.1.saturating_add(other.looks.1),
        );
    }

    /// A part of it, by its share of what is alive of each cell (`None`: of what was
    /// born before the span). What is dead is taken to have been so much as well.
    pub fn part(&self, share_of: impl Fn(Option<usize>) -> f64) -> Self {
        let part = |amounts: &[Amount]| -> Vec<Amount> {
            let cells = amounts.iter().enumerate();
            let part = cells.map(|(cell, amount)| amount.share(share_of(Some(cell))));
            part.collect()
        };
        let kept = part(&self.kept);
        let earlier = self.earlier.share(share_of(None));
        let (mut all, mut its) = (self.earlier.bytes, earlier.bytes);
        let levels = self.levels.iter().enumerate().map(|(cell, level)| {
            all += self.kept.get(cell).map_or(0, |kept| kept.bytes);
            its += kept.get(cell).map_or(0, |kept| kept.bytes);
            level.map(|level| level.share(its as f64 / all.max(1) as f64))
        });
        let levels = levels.collect();
        let deaths = self.deaths.iter().map(|death| Death {
            amount: death.amount.share(share_of(Some(death.born))),
            ..*death
        });
        Self {
            born: part(&self.born),
            unseen: part(&self.unseen),
            spent: part(&self.spent),
            deaths: deaths.collect(),
            kept,
            levels,
            earlier,
            looks: self.looks,
        }
    }

    /// The same, where a share of each cell's live objects (`None`: of those born before the span) turns out to be dead.
    pub fn without_dead(&self, dead: impl Fn(Option<usize>) -> f64) -> Self {
        let alive = self.part(|cell| 1.0 - dead(cell));
        let spent = self.kept.iter().zip(&alive.kept);
        Self {
            born: self.born.clone(),
            deaths: self.deaths.clone(),
            spent: spent.map(|(kept, alive)| *kept - *alive).collect(),
            ..alive
        }
    }

    /// All that is alive.
    pub fn live(&self) -> Amount {
        self.kept.iter().copied().sum::<Amount>() + self.earlier
    }

    /// What of each cohort stays, in order, with what was born in it: at most [`COHORTS`](crate::COHORTS) pairs.
    pub fn stays(&self, clock: &Clock) -> Vec<(Amount, Amount)> {
        let cohorts = Cohorts::of(clock);
        let kept = cohorts.sums(&self.kept).into_iter();
        kept.zip(cohorts.sums(&self.born)).collect()
    }
}

fn add(sums: &mut Vec<Amount>, more: &[Amount]) {
    if sums.len() < more.len() {
        sums.resize(more.len(), Amount::default());
    }
    for (sum, more) in sums.iter_mut().zip(more) {
        *sum += *more;
    }
}
