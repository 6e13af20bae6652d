//! Memory outside of the heap by kind and line, with the objects that date it.

use std::collections::BTreeMap;

use ducktrack_analyses::SurvivorRow;
use ducktrack_count_model::{CountModel, OffHeapFrame, OffHeapKind, OffHeapRow, Tally, is_of_jdk};
use rustc_hash::FxHashSet;

use crate::places::{Line, line_of_call, line_of_site};

/// Methods of the JDK that make the buffers for memory that another made before.
const BESIDE: [(OffHeapKind, &str, &str); 2] = [
    (
        OffHeapKind::Mapped,
        "sun/nio/ch/Util",
        "newMappedByteBuffer",
    ),
    (
        OffHeapKind::Mapped,
        "sun/nio/ch/Util",
        "newMappedByteBufferR",
    ),
];

/// Makers of one kind and line.
pub(crate) struct OffHeapMakers {
    pub(crate) kind: OffHeapKind,
    /// `None`: not known.
    pub(crate) maker: Option<OffHeapFrame>,
    pub(crate) made: Tally,
    pub(crate) released: Tally,
    /// The lines on their stacks.
    lines: FxHashSet<Line>,
}

/// Rows of objects that were made with memory, most live objects first.
#[derive(Default)]
pub(crate) struct MadeWith<'a> {
    /// Those that are alive were made with the memory of one line.
    pub(crate) own: Vec<&'a SurvivorRow>,
    /// They were made with its memory, or with that of other lines that is not released either.
    pub(crate) shared: Vec<&'a SurvivorRow>,
    /// Among those of `own` that are dead are some of other lines.
    pub(crate) has_dead_of_others: bool,
}

impl OffHeapMakers {
    /// All of a recording.
    pub(crate) fn of(rows: &[OffHeapRow]) -> Vec<Self> {
        type Key = (OffHeapKind, Option<(String, String, Option<u16>)>);
        let mut by_line: BTreeMap<Key, Self> = BTreeMap::new();
        for row in rows {
            let maker = row.maker();
            let line = maker.map(|one| (one.class.clone(), one.method.clone(), one.line));
            let makers = by_line.entry((row.kind, line)).or_insert_with(|| Self {
                kind: row.kind,
                maker: maker.cloned(),
                made: Tally::default(),
                released: Tally::default(),
                lines: FxHashSet::default(),
            });
            makers.made += row.made;
            makers.released += row.released;
            let lines = row.frames.iter().map(|frame| line_of(row.kind, frame));
            makers.lines.extend(lines);
            let beside = BESIDE.iter().filter(|(kind, ..)| *kind == row.kind);
            let beside = beside.map(|(_, class, method)| ((*class).into(), (*method).into(), None));
            makers.lines.extend(beside);
        }
        by_line.into_values().collect()
    }

    /// Blocks that were not released.
    pub(crate) fn live(&self) -> Tally {
        Tally {
            count: self.made.count.saturating_sub(self.released.count),
            bytes: self.made.bytes.saturating_sub(self.released.bytes),
        }
    }

    /// Bytes of a block, on average.
    pub(crate) fn block_bytes(&self) -> f64 {
        self.made.bytes as f64 / self.made.count.max(1) as f64
    }

    /// Objects of these types that are made with the memory of this line. The first type with such objects is taken.
    pub(crate) fn made_with<'a>(
        &self,
        types: &[&str],
        (model, rows, all): (&CountModel, &'a [SurvivorRow], &[Self]),
    ) -> MadeWith<'a> {
        for ty in types {
            let mut found = MadeWith::default();
            for row in rows.iter().filter(|row| row.ty.as_deref() == Some(ty)) {
                let lines = places(self.kind, model, row);
                let is_of = |makers: &Self| {
                    makers.kind == self.kind && lines.iter().any(|line| makers.lines.contains(line))
                };
                if !is_of(self) {
                    continue;
                }
                let others = all.iter().filter(|other| !core::ptr::eq(*other, self));
                let others: Vec<&Self> = others.filter(|other| is_of(other)).collect();
                match others.iter().all(|other| other.live().count <= 0) {
                    true => found.own.push(row),
                    false => found.shared.push(row),
                }
                found.has_dead_of_others |= !others.is_empty();
            }
            if !found.own.is_empty() || !found.shared.is_empty() {
                let own = &mut found.own;
                own.sort_by_key(|row| core::cmp::Reverse(row.history.live().objects));
                return found;
            }
        }
        MadeWith::default()
    }
}

/// The lines of a row: those of the calls for which its objects were made, or else those that made them.
fn places(kind: OffHeapKind, model: &CountModel, row: &SurvivorRow) -> Vec<Line> {
    let calls = row.calls.iter().filter_map(|at| line_of_call(model, *at));
    let sites = row.sites.iter().filter_map(|at| line_of_site(model, *at));
    let lines: Vec<Line> = match row.call {
        Some(_) => calls.collect(),
        None => sites.collect(),
    };
    let lines = lines.into_iter();
    lines.map(|line| without_number(kind, line)).collect()
}

fn line_of(kind: OffHeapKind, frame: &OffHeapFrame) -> Line {
    let line = (
        frame.class.as_str().into(),
        frame.method.as_str().into(),
        frame.line,
    );
    without_number(kind, line)
}

/// A thread is made on one line of a method and started on another, and so is memory by methods of the JDK.
fn without_number(kind: OffHeapKind, (class, method, line): Line) -> Line {
    let line = line.filter(|_| kind != OffHeapKind::Thread && !is_of_jdk(&class));
    (class, method, line)
}
