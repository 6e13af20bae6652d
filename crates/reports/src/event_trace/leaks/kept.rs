//! What a dump shows beside the candidates: class loaders that are kept, and memory outside of the heap, each with what holds it.

use ducktrack_holders::{DirectMemory, DumpError, HolderPath, KeptLoaders};
use serde::{Deserialize, Serialize};

use crate::event_trace::holder_docs::{HolderDocs, HolderPathDoc};
use crate::event_trace::path_fold::{lines, standing_out};
use crate::quantity::{bytes, counted, share};
use crate::text::section;
use crate::text_lines::TextLines;

/// Groups of each kind: each takes walks over the whole dump.
const MOST: usize = 4;
/// Groups that a terminal shows.
const SHOWN: usize = 3;
/// And those only that are at least this part of the live bytes. Loaders that are many are always shown: what keeps one of them may retain
/// what it does not.
const LEAST_PART: i64 = 100;

/// Class loaders of one type that one path keeps. `retained`: at least this; what instance fields of their class objects hold, no dump has.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct KeptLoadersDoc {
    /// The loaders, and what keeps them.
    #[serde(flatten)]
    pub path: HolderPathDoc,
    /// The steps of the path that stand out.
    pub shown: Vec<usize>,
    /// Their classes.
    pub classes: u64,
}

/// Direct buffers that one path holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct DirectMemoryDoc {
    /// The buffers, and what holds them.
    #[serde(flatten)]
    pub path: HolderPathDoc,
    /// The steps of the path that stand out.
    pub shown: Vec<usize>,
    /// Their bytes outside of the heap.
    pub capacity: i64,
}

/// Loaders, most retained bytes first; direct memory, most bytes first.
pub(super) fn kept(
    docs: &HolderDocs<'_>,
) -> Result<(Vec<KeptLoadersDoc>, Vec<DirectMemoryDoc>), DumpError> {
    let loaders = docs.holdings.kept_loaders(MOST)?;
    let memory = docs.holdings.direct_memory(MOST)?;
    let path = |path: &HolderPath| {
        let path = docs.path(path);
        let shown = standing_out(&path, &[]);
        (path, shown)
    };
    let loader = |kept: &KeptLoaders| {
        let (path, shown) = path(&kept.path);
        KeptLoadersDoc {
            path,
            shown,
            classes: kept.classes,
        }
    };
    let direct = |memory: &DirectMemory| {
        let (path, shown) = path(&memory.path);
        DirectMemoryDoc {
            path,
            shown,
            capacity: i64::try_from(memory.capacity).unwrap_or(i64::MAX),
        }
    };
    Ok((
        loaders.iter().map(loader).collect(),
        memory.iter().map(direct).collect(),
    ))
}

/// Both, as far as they matter.
pub(super) fn write(
    out: &mut TextLines,
    (loaders, memory): (&[KeptLoadersDoc], &[DirectMemoryDoc]),
    live: i64,
) {
    let matters = |size: i64| size > 0 && size >= live / LEAST_PART;
    let loaders = loaders
        .iter()
        .filter(|one| one.path.held.count > 1 || matters(one.path.held.retained));
    let loaders = loaders.map(|one| {
        let text = format!(
            "{} with {}, retaining at least {} ({})",
            counted(one.path.held.count, "loader"),
            counted(one.classes, "class"),
            bytes(one.path.held.retained),
            share(one.path.held.retained, live)
        );
        (text, &one.path, &one.shown)
    });
    let title = "CLASS LOADERS that could be unloaded, and what keeps them";
    write_section(out, title, loaders.collect());
    let memory = memory.iter().filter(|one| matters(one.capacity));
    let memory = memory.map(|one| {
        let text = format!(
            "{} outside of the heap in {}",
            bytes(one.capacity),
            counted(one.path.held.count, "direct buffer")
        );
        (text, &one.path, &one.shown)
    });
    let title = "DIRECT MEMORY, and what holds the buffers that own it";
    write_section(out, title, memory.collect());
}

type Entry<'a> = (String, &'a HolderPathDoc, &'a Vec<usize>);

fn write_section(out: &mut TextLines, title: &str, entries: Vec<Entry<'_>>) {
    if entries.is_empty() {
        return;
    }
    section(out, title);
    for (text, path, shown) in entries.into_iter().take(SHOWN) {
        out.push_str(&format!("  {text}\n"));
        for (at, line) in lines(&path.root, &path.steps, shown).iter().enumerate() {
            let by = if at == 0 { "held by " } else { "  " };
            out.push_str(&format!("    {by}{line}\n"));
        }
    }
}
