//! Takes births, deaths and looks while a trace is replayed.

mod epochs;

use ducktrack_count_model::{CountModel, Origin, SiteColumn, TypeColumn};
use ducktrack_heap_replay::{
    Analysis, Collected, CollectionNumber, Epoch, EpochEnd, Gain, Heap, LiveObject, Loss,
    SiteTally, Step, Wants, is_young,
};
use ducktrack_leaks::{Amount, Clock, Death, History};
use ducktrack_trace_format::{Collection, CollectionKind, Space, SpaceKind};
use rustc_hash::FxHashMap;

use super::cells::Cells;
use super::rows::{ByCell, Row};
use super::sites::{kept_loaders, lines, merged};
use super::span::JudgedSpan;
use super::{OldSpaceLook, SurvivorRow, Survivors};
use crate::Question;

/// Rows that are found without a search.
const RECENT: usize = 128;

/// Whose objects: where they are made, for whom, of which type.
pub(super) type Key = (Origin, TypeColumn);

/// The histories so far, from the news of a replay.
#[derive(Clone, Debug)]
pub struct SurvivorsBuilder {
    span: JudgedSpan,
    from: u64,
    until: u64,
    cells: Cells,
    /// By cell: a collection looked at all of the old space.
    look_cells: Vec<bool>,
    rows: Vec<Row>,
    row_of: FxHashMap<Key, u32>,
    /// Rows that were asked for lately, by the lowest bits of their site.
    recent: [Option<(Key, u32)>; RECENT],
    /// By row, and the cells of birth, of the last collection that found them alive, and of death.
    deaths: FxHashMap<(u32, [u8; 3]), Amount>,
    /// The cell of the last collection that looked at all young objects.
    young_look: Option<usize>,
    /// Looks so far.
    looks: u32,
    last_look: Option<(OldSpaceLook, usize)>,
    last_full: Option<(u64, u64)>,
    total: Amount,
    total_at_look: Amount,
    allocated_at_look: u64,
    allocated: u64,
    last_end: u64,
    start: u64,
    collections: u32,
    /// Epochs that have cells.
    epochs: u32,
    is_mixed: bool,
    /// Of the epoch under way, by slice: what does not live on.
    young: FxHashMap<(Key, usize), Amount>,
    /// The last epoch that has a cell.
    ticked: Option<u32>,
    /// The span has ended, and its look has come or was there before.
    is_over: bool,
    /// The span has ended, and a look after it is awaited: what is born from there on does not count.
    is_after: bool,
    /// Alive of what was born from there on.
    alive_after: Amount,
    /// Bytes of the slices of the last epoch that are after the span.
    unjudged: u64,
    /// The histories at the end of the span, should no look come.
    at_end: Option<Box<Self>>,
    /// The histories at the end of the longest stretch in which the heap was known, when it was lost then.
    at_loss: Option<Box<Self>>,
    /// Bytes that had been allocated when the heap became known.
    known_from: u64,
    known: bool,
}

/// True for spaces that young collections leave alone.
pub(crate) fn is_tenured(kind: SpaceKind) -> bool {
    !is_young(kind) && kind != SpaceKind::Archive
}

fn key(object: &LiveObject) -> Key {
    (object.origin(), object.ty)
}

/// Full collections that somebody asked for do not depend on how full the heap is.
fn is_asked_for(cause: &str) -> bool {
    let words = ["System.gc", "Initiated", "Diagnostic", "Force", "WhiteBox"];
    words.iter().any(|word| cause.contains(word))
}

/// Everything that such a collection leaves in a young space is alive.
fn looks_at_young(kind: CollectionKind) -> bool {
    use CollectionKind::{Full, Mixed, Young};
    matches!(kind, Young | Mixed | Full)
}

fn one(object: &LiveObject) -> Amount {
    Amount {
        objects: 1,
        bytes: object.bytes(),
    }
}

impl SurvivorsBuilder {
    /// Over this part of a run.
    pub fn new(span: JudgedSpan) -> Self {
        Self {
            span,
            from: 0,
            until: u64::MAX,
            cells: Cells::default(),
            look_cells: Vec::new(),
            rows: Vec::new(),
            row_of: FxHashMap::default(),
            recent: [None; RECENT],
            deaths: FxHashMap::default(),
            young_look: None,
            looks: 1,
            last_look: None,
            last_full: None,
            total: Amount::default(),
            total_at_look: Amount::default(),
            allocated_at_look: 0,
            allocated: 0,
            last_end: 0,
            start: 0,
            collections: 0,
            epochs: 0,
            is_mixed: false,
            young: FxHashMap::default(),
            ticked: None,
            is_over: false,
            is_after: false,
            alive_after: Amount::default(),
            unjudged: 0,
            at_end: None,
            at_loss: None,
            known_from: 0,
            known: false,
        }
    }

    fn row(&mut self, key: Key) -> (usize, &mut Row) {
        let recent = key.0.site.position() % RECENT;
        let place = match self.recent[recent] {
            Some((known, place)) if known == key => place,
            _ => {
                let next = self.rows.len() as u32;
                let place = *self.row_of.entry(key).or_insert(next);
                if place == next {
                    self.rows.push(Row::default());
                }
                self.recent[recent] = Some((key, place));
                place
            }
        };
        // In range: it has just been made, or was there.
        (place as usize, &mut self.rows[place as usize])
    }

    /// No look can be of the span any more, because the heap is not followed up to one. True: later collections do not count.
    fn ends_without_look(&mut self) -> bool {
        self.is_over |= self.is_after;
        self.is_over
    }

    /// Every two neighbouring cells have become one.
    fn fold(&mut self) {
        let is_last: Vec<bool> = self
            .look_cells
            .chunks(2)
            .map(|pair| pair.get(1).copied().unwrap_or(false))
            .collect();
        // Beyond the last look there is no level.
        let mut padded = is_last.clone();
        padded.resize(super::cells::MOST, false);
        self.rows.iter_mut().for_each(|row| row.fold(&padded));
        let any = |pair: &[bool]| pair.iter().any(|look| *look);
        self.look_cells = self.look_cells.chunks(2).map(any).collect();
        if let Some((_, cell)) = &mut self.last_look {
            *cell /= 2;
        }
        self.young_look = self.young_look.map(|cell| cell / 2);
        let mut folded: FxHashMap<(u32, [u8; 3]), Amount> = FxHashMap::default();
        for ((row, cells), amount) in self.deaths.drain() {
            let [born, seen, died] = cells.map(|cell| cell / 2);
            if born != died {
                *folded.entry((row, [born, seen, died])).or_default() += amount;
            }
        }
        self.deaths = folded;
    }

    /// Adds an object that lives on, with its birth if that is new.
    fn add(&mut self, object: &LiveObject, is_birth: bool) {
        let Some(born) = self.born_at(object) else {
            self.alive_after += one(object);
            return;
        };
        let looks = self.looks;
        let (_, row) = self.row(key(object));
        if let Some(cell) = born.cell.filter(|_| is_birth) {
            *row.born.at(cell) += one(object);
        }
        row.add(born, one(object), looks);
        self.total += one(object);
    }

    /// The place of its row. `None`: it does not count.
    fn remove(&mut self, object: &LiveObject) -> Option<usize> {
        let Some(born) = self.born_at(object) else {
            self.alive_after = self.alive_after - one(object);
            return None;
        };
        let looks = self.looks;
        let (place, row) = self.row(key(object));
        row.remove(born, one(object), looks);
        self.total = self.total - one(object);
        Some(place)
    }

    /// A collection that looked at everything is complete.
    fn look(&mut self, collection: &Collection) {
        let used = |spaces: &[Space]| {
            let used = spaces
                .iter()
                .filter(|space| space.kind != SpaceKind::Archive);
            used.fold(0_u64, |sum, space| {
                sum.saturating_add(space.top.saturating_sub(space.bottom))
            })
        };
        if !self.is_after {
            self.last_full = (!is_asked_for(&collection.cause))
                .then(|| (used(&collection.before), used(&collection.after)));
        }
        let cell = self.cells.last();
        self.looks += 1;
        self.total_at_look = self.total;
        self.allocated_at_look = self.allocated;
        let look = OldSpaceLook {
            collection: CollectionNumber(collection.number),
            unix_micros: collection.end_unix_micros,
        };
        self.last_look = Some((look, cell));
        if self.look_cells.len() <= cell {
            self.look_cells.resize(cell + 1, false);
        }
        if let Some(is_look) = self.look_cells.get_mut(cell) {
            *is_look = true;
        }
        for row in &mut self.rows {
            let total = row.live.total;
            if !total.is_zero() || row.levels.0.len() > cell {
                *row.levels.at(cell) = total;
            }
        }
    }

    fn clear(&mut self) {
        let looks = self.looks;
        self.rows.iter_mut().for_each(|row| row.clear(looks));
        self.total = Amount::default();
        self.alive_after = Amount::default();
        self.known = false;
    }

    fn set_old(&mut self, object: &LiveObject, is_old: bool) {
        if let Some(cell) = self.cell_of(object) {
            let old = self.row(key(object)).1.old.at(cell);
            *old = match is_old {
                true => *old + one(object),
                false => *old - one(object),
            };
        }
    }

    /// Bytes alive that were born after the last look, as far as anybody knows.
    fn alive_since_look(&self) -> u64 {
        let Some((_, cell)) = self.last_look else {
            return 0;
        };
        let later = |row: &Row| -> Amount {
            let by_birth = row.live.by_birth.0.iter().skip(cell + 1);
            by_birth.copied().sum()
        };
        self.rows.iter().map(later).sum::<Amount>().bytes
    }

    /// The last look, if it was in the second half of the span.
    fn judged_look(&self) -> Option<(OldSpaceLook, usize)> {
        self.look_after(self.allocated / 2)
    }

    /// The last look at the old space, if at least this many bytes had been allocated before it.
    fn look_after(&self, bytes: u64) -> Option<(OldSpaceLook, usize)> {
        self.last_look.filter(|_| self.allocated_at_look >= bytes)
    }

    /// The cell of the last collection that would have found such an object dead.
    fn last_seen(&self, is_old: bool) -> Option<usize> {
        let at_look = self.last_look.map(|(_, cell)| cell);
        at_look.max(self.young_look.filter(|_| !is_old))
    }

    fn cell_of(&self, object: &LiveObject) -> Option<usize> {
        self.cells.of(object.birth, object.slice()).cell()
    }

    /// Bytes allocated since the heap is known.
    fn stretch(&self) -> u64 {
        match self.known {
            true => self.allocated.saturating_sub(self.known_from),
            false => 0,
        }
    }

    /// All histories; sites of one line of source are one.
    fn histories_of(mut self, heap: &Heap, count: &CountModel) -> Survivors {
        if let Some(at_end) = self.at_end.take() {
            return at_end.histories_of(heap, count);
        }
        let stretch = self.stretch();
        let longer = self.at_loss.take().filter(|one| one.stretch() > stretch);
        if let Some(at_loss) = longer {
            let lost = self.allocated.saturating_sub(at_loss.allocated);
            return Survivors {
                lost,
                ..at_loss.histories_of(heap, count)
            };
        }
        let look = self.judged_look();
        let cells = look.map_or(self.cells.cells.len(), |(_, cell)| cell + 1);
        let mut deaths: FxHashMap<u32, Vec<Death>> = FxHashMap::default();
        for ((row, of), amount) in core::mem::take(&mut self.deaths) {
            let [born, seen, died] = of.map(usize::from);
            if died < cells {
                deaths.entry(row).or_default().push(Death {
                    born,
                    seen,
                    died,
                    amount,
                });
            }
        }
        let rows = self.row_of.iter().filter_map(|((origin, ty), place)| {
            let row = self.rows.get(*place as usize)?;
            let history = self.history(row, cells, deaths.remove(place).unwrap_or_default());
            let is_known = !history.live().is_zero() || !history.born.is_empty();
            is_known.then(|| SurvivorRow {
                site: origin.site.site(),
                call: origin.caller.call(),
                ty: heap.names.types.name(*ty).cloned(),
                loaders: u32::from(origin.site != SiteColumn::NONE),
                sites: origin.site.site().into_iter().collect(),
                calls: origin.caller.call().into_iter().collect(),
                history,
            })
        });
        let mut rows = merged(rows.collect(), count);
        let lines = lines(&rows, cells);
        rows.retain(|row| !row.history.live().is_zero() || !row.history.deaths.is_empty());
        let is_at_look = look.is_some();
        let unseen_loaders = match is_at_look {
            true => Vec::new(),
            false => kept_loaders(&rows, cells, count),
        };
        Survivors {
            clock: Clock::of_collections(
                self.cells.cells.iter().take(cells).copied().collect(),
                self.epochs,
                &self.cells.speeds,
            )
            .with_unseen_loaders(unseen_loaders)
            .with_lines(lines),
            cell_ends: self.cells.ends.iter().take(cells).copied().collect(),
            epoch_cells: self.cells.of_epochs(),
            start_micros: self.start,
            rows,
            look: self.last_look.map(|(look, _)| look),
            is_at_look,
            live: if is_at_look {
                self.total_at_look
            } else {
                self.total
            },
            last_full: self.last_full,
            allocated_after: match is_at_look {
                true => self.allocated.saturating_sub(self.allocated_at_look),
                false => 0,
            },
            alive_since_look: self.alive_since_look(),
            alive_after: self.alive_after,
            unjudged: self.unjudged,
            lost: 0,
            collections: self.collections,
            known: self.known,
        }
    }

    fn history(&self, row: &Row, cells: usize, deaths: Vec<Death>) -> History {
        let first = |amounts: &ByCell| amounts.0.iter().take(cells).copied().collect::<Vec<_>>();
        let is_at_look = self.judged_look().is_some();
        let live = match is_at_look {
            true => row.at_look(self.looks),
            false => &row.live,
        };
        let level = |(cell, is_look): (usize, &bool)| {
            is_look.then(|| row.levels.0.get(cell).copied().unwrap_or_default())
        };
        let looks = self.look_cells.iter().enumerate().take(cells);
        History {
            born: first(&row.born),
            kept: first(&live.by_birth),
            unseen: match is_at_look {
                true => first(&live.undated),
                false => first(&row.old),
            },
            deaths,
            levels: looks.map(level).collect(),
            earlier: live.earlier,
            spent: Vec::new(),
            looks: match is_at_look {
                true => (0, 0),
                false => row.looks.since(cells / 2),
            },
        }
    }
}

impl Question for SurvivorsBuilder {
    type Answer = Survivors;

    fn analyses(&mut self, count: &CountModel) -> Vec<&mut dyn Analysis> {
        (self.from, self.until) = self.span.micros(count);
        self.last_end = count.run.start_unix_millis.saturating_mul(1_000);
        vec![self]
    }

    fn finish(self, heap: &Heap, count: &CountModel) -> Survivors {
        self.histories_of(heap, count)
    }
}

impl Analysis for SurvivorsBuilder {
    fn wants(&self) -> Wants {
        Wants {
            callers: true,
            uses: false,
            slices: true,
        }
    }

    fn gained(&mut self, heap: &Heap, _: Gain) {
        if self.ends_without_look() {
            return;
        }
        self.clear();
        for object in heap.objects() {
            self.add(object, false);
            if heap.spaces.kind(object.address()).is_some_and(is_tenured) {
                self.set_old(object, true);
            }
        }
        self.known = true;
        self.known_from = self.allocated;
    }

    fn lost(&mut self, _: &Heap, loss: Loss) {
        if self.ends_without_look() {
            return;
        }
        let longest = self.at_loss.as_ref().map_or(0, |one| one.stretch());
        if loss == Loss::Collection && self.stretch() > longest {
            self.at_loss = None;
            self.at_loss = Some(Box::new(self.clone()));
        }
        self.clear();
        // Levels and deaths from before a gap are of other objects than those that are known after it.
        self.look_cells.clear();
        self.last_look = None;
        self.young_look = None;
        self.deaths.clear();
        for row in &mut self.rows {
            row.levels = ByCell::default();
        }
    }

    fn died_young(&mut self, origin: Origin, tally: &SiteTally, heap: &Heap, epoch: Epoch) {
        if self.is_over || epoch.end == EpochEnd::Trace {
            return;
        }
        let key = ((origin, heap.site_type(origin.site)), epoch.slice);
        for amount in [tally.gone, tally.unplaced, tally.stragglers] {
            if !amount.is_zero() {
                *self.young.entry(key).or_default() += Amount {
                    objects: amount.count,
                    bytes: amount.bytes,
                };
            }
        }
    }

    fn begin(&mut self, heap: &Heap, collection: &Collection) {
        if !self.is_over {
            self.begin_epoch(
                collection.number.saturating_sub(1),
                collection,
                &heap.slices,
            );
        }
    }

    fn born(&mut self, object: &LiveObject, step: &Step<'_>) {
        if self.is_over {
            return;
        }
        self.add(object, true);
        // Large objects are made in the old space.
        let is_old = step.before.kind(object.address()).is_some_and(is_tenured);
        if is_old && step.after.kind(object.address()).is_some_and(is_tenured) {
            self.set_old(object, true);
        }
    }

    fn kept(&mut self, object: &LiveObject, from: u64, step: &Step<'_>) {
        let was_old = || step.before.kind(from).is_some_and(is_tenured);
        if self.is_mixed && !self.is_over && object.birth < step.epoch && was_old() {
            let cell = self.cells.last();
            *self.row(key(object)).1.looks.alive.at(cell) += one(object);
        }
    }

    fn promoted(&mut self, object: &LiveObject, _: &Step<'_>) {
        if !self.is_over {
            self.set_old(object, true);
        }
    }

    fn died(&mut self, object: &LiveObject, step: &Step<'_>) {
        if self.is_over {
            return;
        }
        let Some(place) = self.remove(object) else {
            return;
        };
        let (born, died) = (self.cell_of(object), self.cells.last());
        let was_old = step.before.kind(object.address()).is_some_and(is_tenured);
        if let Some(born) = born.filter(|born| *born < died) {
            let seen = self.last_seen(was_old).map_or(born, |seen| seen.max(born));
            let key = (place as u32, [born as u8, seen as u8, died as u8]);
            *self.deaths.entry(key).or_default() += one(object);
        }
        if was_old {
            self.set_old(object, false);
            if let Some(row) = self.rows.get_mut(place).filter(|_| self.is_mixed) {
                *row.looks.dead.at(died) += one(object);
            }
        }
    }

    fn overlaid(&mut self, object: &LiveObject) {
        if !self.is_over {
            self.remove(object);
        }
    }

    fn explained(&mut self, before: &LiveObject, object: &LiveObject) {
        if self.is_over {
            return;
        }
        self.remove(before);
        self.add(object, true);
    }

    fn collected(&mut self, heap: &Heap, end: &Collected<'_>) {
        if self.is_over {
            return;
        }
        if self.ticked != Some(end.epoch) {
            self.begin_epoch(end.epoch, end.collection, &heap.slices);
        }
        if self.is_over || self.epochs == 0 {
            return;
        }
        let looks = matches!(
            end.collection.kind,
            CollectionKind::Full | CollectionKind::Old
        );
        let is_look = end.outcome.is_some() && looks;
        if end.outcome.is_some() && looks_at_young(end.collection.kind) {
            self.young_look = Some(self.cells.last());
        }
        if self.is_after {
            if is_look {
                self.look(end.collection);
                self.at_end = None;
                self.is_over = true;
            }
            return;
        }
        if is_look {
            self.look(end.collection);
        }
    }
}
