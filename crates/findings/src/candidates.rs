//! Rows that become more, grouped by what drives them.

use std::sync::Arc;

use ducktrack_analyses::SurvivorRow;
use ducktrack_count_model::is_of_jdk;
use ducktrack_leaks::{Amount, Forecast, Group, History, Interval, NotKnown, Verdict, groups};
use rustc_hash::FxHashSet;

use crate::advice::Advice;
use crate::alarm::alarm_of_sums;
use crate::evidence::Evidence;
use crate::finding::{Companion, Finding, Holder, Maker};
use crate::judged_row::JudgedRow;
use crate::uses::uses;

/// Rows that are grouped; the rest keep less.
const MOST_GROUPED: usize = 500;

/// Entries of tables with weak keys or values, and keys of such tables, extend one of these:
/// a reference of a class of its own knows its place in a table.
const REFERENCES: [&str; 2] = [
    "Ljava/lang/ref/WeakReference;",
    "Ljava/lang/ref/SoftReference;",
];

/// In this order they are shown.
const KINDS: [Verdict; 8] = [
    Verdict::Leaks,
    Verdict::Fills,
    Verdict::NotKnown(NotKnown::Unseen),
    Verdict::NotKnown(NotKnown::OldestGone),
    Verdict::NotKnown(NotKnown::DeathsUndated),
    Verdict::NotKnown(NotKnown::FewLooks),
    Verdict::NotKnown(NotKnown::Late),
    Verdict::NotKnown(NotKnown::Starting),
];

/// Makes findings of judged rows.
pub(crate) struct Candidates<'a> {
    evidence: Evidence<'a>,
    forecast: Forecast,
    rows: &'a [JudgedRow<'a>],
    /// Types of the entries of weak tables.
    weak_entries: FxHashSet<String>,
}

impl<'a> Candidates<'a> {
    pub(crate) fn new(
        evidence: Evidence<'a>,
        forecast: Forecast,
        rows: &'a [JudgedRow<'a>],
    ) -> Self {
        let layouts = &evidence.model.count.field_layouts;
        Self {
            evidence,
            forecast,
            rows,
            weak_entries: layouts.subclasses_of(&REFERENCES),
        }
    }

    /// What leaks, most bytes first, and of it last what has no place; then
    /// what fills; then what may leak; then what is too little to matter.
    pub(crate) fn all(&self) -> Vec<Finding> {
        let mut all: Vec<Finding> = Vec::new();
        for kind in KINDS {
            let of_kind = (0_usize..).zip(self.rows);
            let of_kind = of_kind.filter(|(_, row)| row.judged.verdict == kind);
            let of_kind: Vec<(usize, &JudgedRow<'_>)> = of_kind.take(MOST_GROUPED).collect();
            all.extend(self.of_kind(&of_kind));
        }
        alarm_of_sums(&self.forecast, &mut all);
        // A stable sort: what matters comes first, in the order of kinds.
        all.sort_by_key(|one| {
            !(one.alarm.is_some() || self.forecast.is_material(one.drawn_rate()))
        });
        all
    }

    fn of_kind(&self, rows: &[(usize, &JudgedRow<'_>)]) -> Vec<Finding> {
        let histories: Vec<&History> = rows.iter().map(|(_, row)| row.history.as_ref()).collect();
        let classes = rows
            .iter()
            .filter_map(|(_, row)| self.class_of_site(row.row));
        let makers: FxHashSet<Arc<str>> = classes.collect();
        let preferences = rows
            .iter()
            .map(|(_, row)| self.preference(row.row, &makers));
        let preferences: Vec<u32> = preferences.collect();
        let preference = |place: usize| preferences.get(place).copied().unwrap_or(0);
        let finding = |group: Group| {
            let followers = group.followers.iter();
            let followers = followers.filter_map(|one| Some((rows.get(one.place)?.0, one.each)));
            self.finding(rows.get(group.driver)?.0, &followers.collect::<Vec<_>>())
        };
        let mut all: Vec<Finding> = groups(&histories, preference)
            .into_iter()
            .filter_map(finding)
            .collect();
        // The VM and native code make objects at no place, for many places.
        all.sort_by_key(|one| (one.maker.site.is_none(), core::cmp::Reverse(one.kept.bytes)));
        all
    }

    fn class_of_site(&self, row: &SurvivorRow) -> Option<Arc<str>> {
        let count = &self.evidence.model.count;
        let site = count.sites.get(row.site?.get())?;
        let method = count.methods.get(site.method.get())?;
        Some(method.class.clone())
    }

    fn class_of_call(&self, row: &SurvivorRow) -> Option<Arc<str>> {
        let count = &self.evidence.model.count;
        let call = count.calls.get(row.call?.get())?;
        let method = count.methods.get(call.method.get())?;
        Some(method.class.clone())
    }

    /// Classes of the program's own say most; then what its own methods make or have made; then what makes
    /// others itself: a listener whose constructor makes two events; then what the program does not use.
    fn preference(&self, row: &SurvivorRow, makers: &FxHashSet<Arc<str>>) -> u32 {
        let class = row.ty.as_deref().and_then(|ty| ty.strip_prefix('L'));
        let class = class.and_then(|class| class.strip_suffix(';'));
        let is_own_class = class.is_some_and(|class| !is_of_jdk(class));
        let makes_others = class.is_some_and(|class| makers.contains(class));
        let places = [self.class_of_site(row), self.class_of_call(row)];
        let is_own_place = places.into_iter().flatten().any(|class| !is_of_jdk(&class));
        let uses = self.evidence.staleness.and_then(|all| uses(all, row));
        let is_unused = uses.is_some_and(|uses| !uses.are_now());
        8 * u32::from(is_own_class)
            + 4 * u32::from(is_own_place)
            + 2 * u32::from(makes_others)
            + u32::from(is_unused)
    }

    fn finding(&self, at: usize, followers: &[(usize, u64)]) -> Option<Finding> {
        let driver = self.rows.get(at)?;
        let others: Vec<(&JudgedRow<'_>, u64)> = followers
            .iter()
            .filter_map(|(row, each)| Some((self.rows.get(*row)?, *each)))
            .collect();
        let all = || others.iter().map(|(row, _)| *row).chain([driver]);
        let rate = all().fold(Interval::default(), |sum, row| {
            sum + row.judged.bytes_per_mb
        });
        let kept: Amount = all().map(|row| row.judged.kept).sum();
        let mut history = History::clone(&driver.history);
        others.iter().for_each(|(row, _)| history.add(&row.history));
        let verdict = self.with_harm(driver.judged.verdict, kept);
        let verdict = match self.is_of_weak_table(driver, &others) {
            true if verdict == Verdict::Leaks => Verdict::NotKnown(NotKnown::WeakTable),
            _ => verdict,
        };
        let companion = |(row, each): &(&JudgedRow<'_>, u64)| Companion {
            maker: Maker::of(row.row),
            each: *each,
            kept_bytes: row.judged.kept.bytes,
        };
        let finding = Finding {
            alarm: None,
            verdict,
            is_sure: false,
            matters: true,
            judged: driver.judged,
            maker: Maker::of(driver.row),
            part: driver.part,
            kept,
            rate,
            stays: driver.history.stays(&self.evidence.survivors.clock),
            curve: self.curve(&history),
            since: self.moment(driver.judged.since),
            with: others.iter().map(companion).collect(),
            uses: None,
            holder: Holder::NotAsked,
            added_by: None,
            added_for: None,
            holder_made: None,
            advice: Advice::default(),
            rows: [at]
                .into_iter()
                .chain(followers.iter().map(|(row, _)| *row))
                .collect(),
        };
        let alarm = self.forecast.alarm(finding.drawn_rate());
        Some(Finding {
            alarm: alarm.filter(|_| verdict == Verdict::Leaks),
            ..finding
        })
    }

    /// Whether the driver, or what is made with each of it, is an entry of a weak table, while there is no dump and at most one look
    /// at the old space. A table drops entries of dead keys when it is next used; until then they are alive for the collector, and
    /// only a dump shows their keys.
    fn is_of_weak_table(&self, driver: &JudgedRow<'_>, others: &[(&JudgedRow<'_>, u64)]) -> bool {
        let looks = driver.history.levels.iter().flatten().count();
        let with_each = others.iter().filter(|(_, each)| *each == 1);
        let mut rows = with_each.map(|(row, _)| *row).chain([driver]);
        let is_entry = |ty: &str| self.weak_entries.contains(ty);
        self.evidence.holdings.is_none()
            && looks <= 1
            && rows.any(|row| row.row.ty.as_deref().is_some_and(is_entry))
    }

    /// While a program starts no line is drawn on: it leaks only if it has doubled the heap already.
    fn with_harm(&self, verdict: Verdict, kept: Amount) -> Verdict {
        match verdict {
            Verdict::NotKnown(NotKnown::Starting)
                if kept.bytes.saturating_mul(2) >= self.evidence.survivors.live.bytes =>
            {
                Verdict::Leaks
            }
            verdict => verdict,
        }
    }

    /// Bytes kept up to the end of each cell.
    fn curve(&self, history: &History) -> Vec<u64> {
        let mut sum = history.earlier.bytes;
        let cells = 0..self.evidence.survivors.clock.cells().len();
        cells
            .map(|cell| {
                let kept = history.kept.get(cell).copied().unwrap_or_default();
                sum = sum.saturating_add(kept.bytes);
                sum
            })
            .collect()
    }

    /// When the clock showed these bytes, microseconds since 1970.
    fn moment(&self, bytes: u64) -> u64 {
        let survivors = self.evidence.survivors;
        let mut passed = 0_u64;
        let mut before = survivors.start_micros;
        for (cell, end) in survivors.clock.cells().iter().zip(&survivors.cell_ends) {
            if passed >= bytes {
                break;
            }
            passed = passed.saturating_add(cell.bytes);
            before = *end;
        }
        before
    }
}

impl Maker {
    /// Of a row's objects.
    pub fn of(row: &SurvivorRow) -> Self {
        Self {
            ty: row.ty.clone(),
            site: row.site,
            call: row.call,
            loaders: row.loaders,
        }
    }
}
