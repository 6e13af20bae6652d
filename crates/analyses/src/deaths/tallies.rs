//! Sums the fates of objects.

use ducktrack_merlin::{Fate, Instant, Names, RunTotals, SiteId, TypeId};
use rustc_hash::FxHashMap;

use crate::deaths::demographics::{Demographics, DemographicsTally};
use crate::deaths::life_tally::{LifeTally, Spans};
use crate::deaths::program_clock::ProgramClock;
use crate::deaths::survival::{Survival, SurvivalTally};

/// Takes fates as Merlin finds them.
#[derive(Clone, Debug)]
pub struct DeathTallies {
    clock: ProgramClock,
    places: FxHashMap<(SiteId, TypeId), LifeTally>,
    all: [Spans; 3],
    total: LifeTally,
    survival: SurvivalTally,
    demographics: DemographicsTally,
}

/// Objects of one type from one site.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeathRow {
    /// The site.
    pub site: SiteId,
    /// The type.
    pub ty: TypeId,
    /// Their lives.
    pub lives: LifeTally,
}

/// The deaths of a stream.
#[derive(Clone, Debug, PartialEq)]
pub struct Deaths {
    /// The clock of all ages, unless they name another.
    pub clock: ProgramClock,
    /// Sums over the stream.
    pub run: RunTotals,
    /// Names of its numbers.
    pub names: Names,
    /// By site and type, most bytes first.
    pub rows: Vec<DeathRow>,
    /// All objects.
    pub total: LifeTally,
    /// All objects, on each clock in the order of [`ProgramClock::ALL`].
    pub on_clocks: [Spans; 3],
    /// How long objects live.
    pub survival: Survival,
    /// How old the live heap is.
    pub demographics: Demographics,
}

impl DeathTallies {
    /// Tallies on this clock.
    #[must_use]
    pub fn new(clock: ProgramClock) -> Self {
        Self {
            clock,
            places: FxHashMap::default(),
            all: Default::default(),
            total: LifeTally::default(),
            survival: SurvivalTally::default(),
            demographics: DemographicsTally::default(),
        }
    }

    /// Adds an object that is dead.
    pub fn dead(&mut self, fate: &Fate) {
        self.add(fate, None);
    }

    /// Adds what is alive at the end of the run.
    pub fn alive(&mut self, fate: &Fate, run: &RunTotals) {
        self.add(fate, Some(run.end));
    }

    /// `end`: of the run, for an object that is alive then.
    fn add(&mut self, fate: &Fate, end: Option<Instant>) {
        let row = self.places.entry((fate.site, fate.ty)).or_default();
        row.add(fate, self.clock, end);
        self.total.count(fate);
        for (spans, clock) in self.all.iter_mut().zip(ProgramClock::ALL) {
            spans.add(fate, clock, end);
        }
        let end = end.map_or(0, |end| self.clock.of(end));
        self.survival.add(fate, end, self.clock);
        self.demographics.add(fate, end, self.clock);
    }

    /// The sums.
    #[must_use]
    pub fn finish(self, run: RunTotals, names: Names) -> Deaths {
        let of_clock = ProgramClock::ALL.iter().position(|one| *one == self.clock);
        let total = of_clock.and_then(|at| self.all.get(at));
        let total = total.cloned().unwrap_or_default();
        let rows = self.places.into_iter();
        let mut rows: Vec<DeathRow> = rows
            .map(|((site, ty), lives)| DeathRow { site, ty, lives })
            .collect();
        rows.sort_by_key(|row| {
            let amount = row.lives.allocated;
            (
                std::cmp::Reverse((amount.bytes, amount.count)),
                row.site,
                row.ty,
            )
        });
        Deaths {
            clock: self.clock,
            run,
            names,
            rows,
            total: LifeTally {
                spans: total,
                ..self.total
            },
            on_clocks: self.all,
            survival: self.survival.curve(),
            demographics: self.demographics.finish(),
        }
    }
}

#[cfg(test)]
mod tests {
    use ducktrack_merlin::{Level, Merlin, records_from_text};

    use super::*;
    use ducktrack_live_heap::Amount;

    /// Four objects of 1000 bytes. 1 dies when 2 is made, 2 when it is dropped after 4 was made, 3 at birth, 4 is alive.
    fn deaths() -> Deaths {
        let text = "new 1 type=1 site=1 bytes=1000\nnew 2 type=1 site=2 bytes=1000\nset -.0 = 2 was -\nuse 1\n\
                    new 3 type=2 site=1 bytes=1000\nnew 4 type=1 site=1 bytes=1000\nset -.0 = - was 2\ncollect 1 partial\ndead 1\ndead 2\ndead 3\nend\n";
        let (mut merlin, mut fates) = (Merlin::default(), Vec::new());
        let mut tallies = DeathTallies::new(ProgramClock::Bytes);
        for record in records_from_text(text).expect("a text") {
            merlin.apply(&record, &mut fates);
        }
        fates.drain(..).for_each(|fate| tallies.dead(&fate));
        let run = merlin.finish(&mut fates);
        fates.iter().for_each(|fate| tallies.alive(fate, &run));
        assert_eq!(run.level, Level::Full);
        tallies.finish(run, Names::default())
    }

    #[test]
    fn rows_are_by_site_and_type() {
        let deaths = deaths();
        let row = |site, ty| {
            let found = deaths
                .rows
                .iter()
                .find(|row| row.site == SiteId(site) && row.ty == TypeId(ty));
            found.expect("a row").lives.clone()
        };
        let first = row(1, 1);
        assert_eq!((first.allocated.count, first.alive), (2, Amount::one(1000)));
        // Object 1: born at 1000, last use and death at 2000.
        let lifetime = first.spans.lifetime.quantiles().expect("one is dead");
        assert_eq!((lifetime.p50, lifetime.max), (1000, 1000));
        assert_eq!(first.spans.drag.quantiles().expect("one is dead").max, 0);
        // Object 2: born and last used at 2000, unreachable at 4000.
        assert_eq!(row(2, 1).spans.drag.quantiles().expect("dead").max, 2000);
        assert_eq!(
            deaths.total.allocated,
            Amount {
                count: 4,
                bytes: 4000
            }
        );
        assert_eq!(
            deaths.on_clocks[1].lifetime.quantiles().expect("dead").max,
            0
        );
    }

    #[test]
    fn survival_counts_the_living_until_the_end() {
        let points = deaths().survival.points;
        // Age 0: object 3 died, object 4 was looked at no longer.
        assert_eq!(
            (
                points[0].died.count,
                points[0].alive.count,
                points[0].objects
            ),
            (1, 1, 0.75)
        );
        // Ages 512 to 1023: object 1, of the two that are left.
        assert_eq!(
            (points[10].below, points[10].died.count, points[10].objects),
            (1024, 1, 0.375)
        );
        assert_eq!(points[11].objects, 0.0);
        assert_eq!(points.len(), 12);
    }

    #[test]
    fn demographics_count_what_is_alive_at_each_moment() {
        let points = deaths().demographics.points;
        let live: Vec<(u64, u64)> = points
            .iter()
            .map(|point| (point.at, point.ages.iter().map(|age| age.count).sum()))
            .collect();
        // At 1024 object 1, at 2048 and 3072 object 2.
        assert_eq!(live, [(1024, 1), (2048, 1), (3072, 1)]);
        assert_eq!(points[2].ages.len(), 12);
    }

    #[test]
    fn moments_get_fewer_as_the_run_goes_on() {
        let mut tally = DemographicsTally::default();
        let fate = |born, dead| {
            let at = |bytes| Instant {
                bytes,
                ..Instant::default()
            };
            let mut fate = deaths_fate();
            fate.born = at(born);
            fate.unreachable = Some(at(dead));
            fate.collected = Some(at(dead));
            fate
        };
        tally.add(&fate(0, 60_000), 0, ProgramClock::Bytes);
        tally.add(&fate(0, 1 << 40), 0, ProgramClock::Bytes);
        let points = tally.finish().points;
        assert_eq!(points.len(), 64);
        assert!(
            points
                .iter()
                .all(|point| point.ages.iter().map(|age| age.count).sum::<u64>() <= 1)
        );
        assert_eq!(points[63].at, 1 << 40);
    }

    fn deaths_fate() -> Fate {
        let (mut merlin, mut fates) = (Merlin::default(), Vec::new());
        for record in records_from_text("new 1 type=1 site=1 bytes=8\n").expect("a text") {
            merlin.apply(&record, &mut fates);
        }
        let _ = merlin.finish(&mut fates);
        fates[0]
    }
}
