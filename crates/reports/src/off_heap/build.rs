//! Model to report: makers of one line come together.

use std::collections::BTreeMap;

use ducktrack_count_model::{CountModel, OffHeapFrame, OffHeapKind, OffHeapRow, Tally};

use super::document::{OffHeapKindDoc, OffHeapReport};
use super::row::{OffHeapDoc, OffHeapFrameDoc, OffHeapStackDoc};
use crate::amount_doc::amount;
use crate::class_name::{printable, readable_class};
use crate::filter::{Filter, Sort};
use crate::json::{AmountDoc, run_of_model};

/// The value of the key `format`.
const FORMAT: &str = "ducktrack-off-heap";
/// The value of the key `version`.
const VERSION: u32 = 1;
/// Where no frame is known.
const UNKNOWN: &str = "(not known)";

/// The report of a model.
pub fn off_heap_report(model: &CountModel, trace: &str, filter: &Filter) -> OffHeapReport {
    let mut rows = rows(model, filter);
    let kinds = kinds(model, filter);
    rows.truncate(filter.top.unwrap_or(usize::MAX));
    OffHeapReport {
        format: FORMAT.to_owned(),
        version: VERSION,
        run: run_of_model(model, trace),
        kinds,
        rows,
    }
}

/// The rows that a filter wants, in its order.
pub(crate) fn rows(model: &CountModel, filter: &Filter) -> Vec<OffHeapDoc> {
    let wanted = model.off_heap.iter().filter(|row| is_wanted(row, filter));
    let mut rows = by_line(wanted);
    for row in &mut rows {
        row.stacks
            .sort_by_key(|stack| core::cmp::Reverse((stack.live.bytes, stack.made.bytes)));
    }
    rows.sort_by_key(|row| {
        core::cmp::Reverse(match filter.sort {
            Sort::Bytes => (row.live.bytes, row.made.bytes),
            Sort::Count => (row.live.count, row.made.count),
        })
    });
    rows
}

/// Makers of one kind and line as one row.
pub(crate) fn by_line<'m>(makers: impl Iterator<Item = &'m OffHeapRow>) -> Vec<OffHeapDoc> {
    let mut by_line: BTreeMap<(String, String, String, Option<u16>), OffHeapDoc> = BTreeMap::new();
    for row in makers {
        let OffHeapFrameDoc {
            class,
            method,
            line,
        } = place(row);
        let kind = row.kind.name().to_owned();
        let key = (kind.clone(), class.clone(), method.clone(), line);
        let doc = by_line.entry(key).or_insert_with(|| OffHeapDoc {
            kind,
            class,
            method,
            line,
            ..OffHeapDoc::default()
        });
        add(&mut doc.live, row.live());
        add(&mut doc.made, row.made);
        add(&mut doc.released, row.released);
        doc.stacks.push(OffHeapStackDoc {
            frames: row.frames.iter().map(frame_doc).collect(),
            live: amount(row.live()),
            made: amount(row.made),
        });
    }
    by_line.into_values().collect()
}

fn kinds(model: &CountModel, filter: &Filter) -> Vec<OffHeapKindDoc> {
    let mut kinds: BTreeMap<OffHeapKind, OffHeapKindDoc> = BTreeMap::new();
    for row in model.off_heap.iter().filter(|row| is_wanted(row, filter)) {
        let kind = kinds.entry(row.kind).or_insert_with(|| OffHeapKindDoc {
            kind: row.kind.name().to_owned(),
            note: note(row.kind).map(str::to_owned),
            ..OffHeapKindDoc::default()
        });
        add(&mut kind.live, row.live());
        add(&mut kind.made, row.made);
        add(&mut kind.released, row.released);
    }
    let mut kinds: Vec<OffHeapKindDoc> = kinds.into_values().collect();
    kinds.sort_by_key(|kind| core::cmp::Reverse((kind.live.bytes, kind.made.bytes)));
    kinds
}

/// What the bytes of a kind are, where they are not those of memory in use.
fn note(kind: OffHeapKind) -> Option<&'static str> {
    match kind {
        OffHeapKind::Direct | OffHeapKind::Segment | OffHeapKind::Unsafe => None,
        OffHeapKind::Mapped => Some(
            "Mapped files: bytes of the mapping; what is in memory of them is page cache, which the kernel takes back.",
        ),
        OffHeapKind::Thread => {
            Some("Thread stacks: reserved bytes; in memory is what a thread has used of its stack.")
        }
        OffHeapKind::Inflater | OffHeapKind::Deflater => {
            Some("Inflaters and deflaters: the bytes that zlib documents for one, not measured.")
        }
    }
}

fn is_wanted(row: &OffHeapRow, filter: &Filter) -> bool {
    let mut frames = row.frames.iter();
    filter.only.is_empty() || frames.any(|frame| filter.wants_class(&readable_class(&frame.class)))
}

fn place(row: &OffHeapRow) -> OffHeapFrameDoc {
    let maker = row.maker().map(frame_doc);
    maker.unwrap_or_else(|| OffHeapFrameDoc {
        class: UNKNOWN.to_owned(),
        ..OffHeapFrameDoc::default()
    })
}

/// A frame as it is shown.
pub(crate) fn frame_doc(frame: &OffHeapFrame) -> OffHeapFrameDoc {
    OffHeapFrameDoc {
        class: readable_class(&frame.class),
        method: printable(&frame.method),
        line: frame.line,
    }
}

fn add(sum: &mut AmountDoc, tally: Tally) {
    sum.count = sum.count.saturating_add(tally.count);
    sum.bytes = sum.bytes.saturating_add(tally.bytes);
}
