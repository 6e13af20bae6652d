//! What piles up in one structure is one finding: the keys, entries and values of a map are no three leaks,
//! whatever the ratios in which they rise, nor are the classes, methods and names of a class loader.
//! Nor is the array in which a structure has them.

use ducktrack_holders::{Holdings, PathNumber};
use ducktrack_leaks::{NotKnown, grows_with};

use crate::finding::{Companion, Finding, Holder};
use crate::held::makers;
use crate::judged_row::JudgedRow;

/// Findings, each with a structure of its own.
pub(crate) struct Structures<'a> {
    holdings: Option<&'a Holdings>,
    rows: &'a [JudgedRow<'a>],
    findings: Vec<Finding>,
    /// What hangs on the structures of findings, by their places.
    contents: Vec<(usize, Contents)>,
}

/// What hangs on one structure.
struct Contents {
    /// By path: it goes on from that of the structure.
    is_there: Vec<bool>,
    /// For each maker of the dump its objects there, and all of them.
    of_maker: Vec<(u32, u32)>,
}

impl<'a> Structures<'a> {
    pub(crate) fn new(holdings: Option<&'a Holdings>, rows: &'a [JudgedRow<'a>]) -> Self {
        Self {
            holdings,
            rows,
            findings: Vec::new(),
            contents: Vec::new(),
        }
    }

    /// A finding becomes part of the one before it in the same structure; else it has one of its own.
    pub(crate) fn add(&mut self, finding: Finding) {
        if let Some(known) = self.table_of(&finding) {
            return absorb(known, as_table(known, finding));
        }
        let same = match (within(&finding), &finding.holder) {
            (Some(path), _) => self.place_of(path),
            (None, Holder::NotAsked | Holder::Outside(_)) => self.home(&finding),
            (None, Holder::Path(_)) => None,
        };
        let known = same.and_then(|place| self.findings.get_mut(place));
        match known.filter(|known| known.alarm.is_some() || finding.alarm.is_none()) {
            Some(known) => absorb(known, finding),
            None => self.push(finding),
        }
    }

    fn push(&mut self, finding: Finding) {
        if let Some((holdings, path)) = self.holdings.zip(within(&finding)) {
            let contents = Contents::of(holdings, path);
            self.contents.push((self.findings.len(), contents));
        }
        self.findings.push(finding);
    }

    fn place_of(&self, path: PathNumber) -> Option<usize> {
        self.findings
            .iter()
            .position(|known| within(known) == Some(path))
    }

    /// The alarm whose structure holds these few arrays that become large; without a dump, the one with whose elements they grew.
    fn table_of(&mut self, finding: &Finding) -> Option<&mut Finding> {
        if finding.unknown() != Some(NotKnown::FewLooks) {
            return None;
        }
        let place = match (finding.held_by(), self.holdings) {
            (Some(held), _) => self.place_with(held.path.path)?,
            (None, None) => self.in_step(finding)?,
            (None, Some(_)) => return None,
        };
        let known = self.findings.get_mut(place);
        known.filter(|known| known.alarm.is_some())
    }

    fn place_with(&self, path: PathNumber) -> Option<usize> {
        let mut contents = self.contents.iter();
        let found = contents.find(|(_, contents)| contents.has(path));
        found.map(|(place, _)| *place)
    }

    fn in_step(&self, table: &Finding) -> Option<usize> {
        let history = |one: &Finding| {
            let row = one.rows.first().and_then(|row| self.rows.get(*row))?;
            Some(row.history.as_ref())
        };
        let table = history(table)?;
        let is_its = |one: &Finding| {
            one.alarm.is_some() && history(one).is_some_and(|elements| grows_with(table, elements))
        };
        self.findings.iter().position(is_its)
    }

    /// The structure on which most of its objects hang, of a finding whose own path is not known.
    fn home(&self, finding: &Finding) -> Option<usize> {
        let driver = finding.rows.first().and_then(|row| self.rows.get(*row));
        let (holdings, driver) = self.holdings.zip(driver)?;
        let its = makers(holdings, driver.row);
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

    pub(crate) fn into_findings(self) -> Vec<Finding> {
        self.findings
    }
}

fn within(finding: &Finding) -> Option<PathNumber> {
    finding.held_by()?.within
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
        Self { is_there, of_maker }
    }

    fn has(&self, path: PathNumber) -> bool {
        self.is_there.get(path.0 as usize) == Some(&true)
    }
}

/// An array that has the elements of a leak: it leaks with them, and each takes its part of it.
fn as_table(known: &Finding, table: Finding) -> Finding {
    let elements = known.judged.live.objects.max(1) as f64;
    let each = table.judged.live.bytes as f64 / elements;
    Finding {
        verdict: known.verdict,
        rate: known.judged.objects_per_mb.times(each),
        ..table
    }
}

/// Only a finding with the same verdict adds to the rate.
fn absorb(known: &mut Finding, other: Finding) {
    if known.verdict == other.verdict {
        known.kept += other.kept;
        known.rate = known.rate + other.rate;
        for (sum, bytes) in known.curve.iter_mut().zip(&other.curve) {
            *sum = sum.saturating_add(*bytes);
        }
    }
    let of_others: u64 = other.with.iter().map(|with| with.kept_bytes).sum();
    known.with.push(Companion {
        maker: other.maker,
        each: 0,
        kept_bytes: other.kept.bytes.saturating_sub(of_others),
    });
    let with = other.with.into_iter();
    known
        .with
        .extend(with.map(|with| Companion { each: 0, ..with }));
    known.rows.extend(other.rows);
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use ducktrack_analyses::SurvivorRow;
    use ducktrack_holders::{HolderPath, Holding, NamedRoot};
    use ducktrack_leaks::{Alarm, Amount, Clock, History, Interval, Judgement, Verdict, judge};

    use super::*;
    use crate::advice::Advice;
    use crate::finding::{HeldBy, Maker};
    use crate::softly_held::Part;

    fn held_within(within: u32) -> Holder {
        Holder::Path(Box::new(HeldBy {
            path: HolderPath {
                path: PathNumber(within),
                held: Holding::default(),
                root: NamedRoot::Vm,
                steps: Vec::new(),
                structure: None,
            },
            field: None,
            is_thread_local: false,
            within: Some(PathNumber(within)),
        }))
    }

    fn finding(ty: &str, within: Option<u32>, kept: u64) -> Finding {
        let maker = Maker {
            ty: Some(ty.into()),
            ..Maker::default()
        };
        Finding {
            verdict: Verdict::Leaks,
            alarm: Some(Alarm::Doubles),
            is_sure: false,
            matters: true,
            judged: judge(&Clock::default(), &History::default()),
            maker,
            part: Part::All,
            kept: Amount::of(1, kept),
            rate: Interval {
                value: kept as f64,
                low: 0.0,
                high: kept as f64,
            },
            stays: Vec::new(),
            curve: vec![1, kept],
            since: 0,
            with: Vec::new(),
            uses: None,
            holder: within.map_or(Holder::NotAsked, held_within),
            added_by: None,
            added_for: None,
            holder_made: None,
            advice: Advice::default(),
            rows: Vec::new(),
        }
    }

    #[test]
    fn entries_and_values_of_a_map_are_one() {
        let fills = Finding {
            verdict: Verdict::Fills,
            alarm: None,
            ..finding("Key", Some(7), 20)
        };
        let small = Finding {
            alarm: None,
            ..finding("Small", Some(9), 10)
        };
        let all = vec![
            finding("Value", Some(7), 800),
            finding("Other", Some(8), 500),
            finding("Entry", Some(7), 300),
            finding("Unknown", None, 200),
            finding("Unknown2", None, 100),
            fills,
            small,
            finding("Large", Some(9), 5),
        ];
        let mut structures = Structures::new(None, &[]);
        all.into_iter().for_each(|one| structures.add(one));
        let found = structures.into_findings();
        let kept: Vec<_> = found
            .iter()
            .map(|one| (one.maker.ty.as_deref().unwrap_or_default(), one.kept.bytes))
            .collect();
        let expected = [
            ("Value", 1100),
            ("Other", 500),
            ("Unknown", 200),
            ("Unknown2", 100),
            ("Small", 10),
            ("Large", 5),
        ];
        assert_eq!(kept, expected);
        let first = &found[0];
        assert_eq!(first.curve, [2, 1100]);
        let with = first.with.iter().map(|one| one.maker.ty.as_deref());
        assert_eq!(with.collect::<Vec<_>>(), [Some("Entry"), Some("Key")]);
        assert_eq!(first.rate.value, 1100.0);
    }

    /// Without a dump an array that doubles when its elements have is theirs; one that does not is not.
    #[test]
    fn an_array_that_grows_in_step_is_the_table_of_its_elements() {
        let cells = |of: &dyn Fn(u64) -> Amount| (0..40).map(of).collect();
        let arrays = |births: [u64; 3]| History {
            born: cells(
                &|cell| match births.iter().position(|birth| *birth == cell) {
                    Some(at) => Amount::of(1, 1024 << at),
                    None => Amount::default(),
                },
            ),
            ..History::default()
        };
        let elements = History {
            kept: cells(&|_| Amount::of(100, 32)),
            ..History::default()
        };
        let histories = [elements, arrays([6, 13, 27]), arrays([18, 21, 27])];
        let row = SurvivorRow::default();
        let rows: Vec<JudgedRow<'_>> = histories
            .iter()
            .map(|history| JudgedRow {
                row: &row,
                part: Part::All,
                history: Cow::Borrowed(history),
                judged: judge(&Clock::default(), history),
            })
            .collect();
        let found = |array: usize| {
            let mut structures = Structures::new(None, &rows);
            let elements = finding("Element", None, 800);
            structures.add(Finding {
                rows: vec![0],
                ..elements
            });
            structures.add(Finding {
                alarm: None,
                verdict: Verdict::NotKnown(NotKnown::FewLooks),
                rows: vec![array],
                ..finding("Array", None, 30)
            });
            structures.into_findings().len()
        };
        assert_eq!((found(1), found(2)), (1, 2));
    }

    #[test]
    fn the_array_of_a_table_takes_its_part_of_each_element() {
        let with = |objects: u64, objects_per_mb: f64, one: Finding| Finding {
            judged: Judgement {
                live: Amount::of(objects, 100),
                objects_per_mb: Interval {
                    value: objects_per_mb,
                    low: objects_per_mb / 2.0,
                    high: objects_per_mb * 2.0,
                },
                ..one.judged
            },
            ..one
        };
        let array = |path: u32, verdict| Finding {
            verdict,
            alarm: None,
            ..with(2, 0.0, finding("Array", Some(path), 30))
        };
        let of_few = Verdict::NotKnown(NotKnown::FewLooks);
        let added = |array: Finding| {
            let mut structures = Structures::new(None, &[]);
            structures.add(with(50, 10.0, finding("Element", Some(7), 800)));
            let contents = Contents {
                is_there: (0..9).map(|path| path >= 7).collect(),
                of_maker: Vec::new(),
            };
            structures.contents.push((0, contents));
            structures.add(array);
            structures.into_findings()
        };
        // The array has 200 bytes for 50 elements; the program adds 10 elements for each MB.
        let found = added(array(8, of_few));
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].rate.value, 800.0 + 10.0 * 4.0);
        assert_eq!(found[0].rate.high, 800.0 + 20.0 * 4.0);
        // Of another structure, or not one of few arrays that become large.
        assert_eq!(added(array(3, of_few)).len(), 2);
        assert_eq!(added(array(8, Verdict::NotKnown(NotKnown::Late))).len(), 2);
    }
}
