//! Finds the pages of counters that were ever written. The others are zeros, and reading them would make them resident.
//!
//! A block has a counter for each path of each class, but most threads run few classes and write few pages. Reading a page of a mapped file
//! for the first time takes memory, like writing it. The file system knows which pages were written: pages only allocated are holes for
//! `lseek`.

use std::ops::Range;

use ducktrack_hotspot::page_size;
use rustc_hash::FxHashMap;

use crate::process::mapped_file::FileRange;
use crate::threads::counter_block::CounterBlock;

/// Bytes of a counter.
const WORD: usize = 8;

/// The pages written up to a moment. For blocks it does not know, all pages.
#[derive(Debug, Default)]
pub(crate) struct WrittenPages {
    /// Ranges of counter numbers, ascending, by block address. Counters after the last range are not in the file.
    blocks: FxHashMap<usize, Vec<Range<u32>>>,
}

impl WrittenPages {
    /// Intersects the written runs of a file with the parts that hold the blocks' counters, in order.
    pub(crate) fn of<'a>(
        runs: &[Range<u64>],
        blocks: impl Iterator<Item = (CounterBlock, &'a [FileRange])>,
    ) -> Self {
        let ranges = blocks.map(|(block, parts)| (block.address(), written_counters(runs, parts)));
        Self {
            blocks: ranges.collect(),
        }
    }

    /// The counters of a block below `end` that are not zero.
    pub(crate) fn counters(
        &self,
        block: CounterBlock,
        end: u32,
    ) -> impl Iterator<Item = (u32, u64)> {
        let known = self.blocks.get(&block.address()).cloned();
        let all = known.is_none().then_some(0..u32::MAX);
        let ranges = known.into_iter().flatten().chain(all);
        ranges.flat_map(move |range| block.counters_in(range.start..range.end.min(end)))
    }
}

fn written_counters(runs: &[Range<u64>], parts: &[FileRange]) -> Vec<Range<u32>> {
    let page = page_size() as u64;
    let mut written = Vec::new();
    let mut place = 0;
    for part in parts {
        let end = part.offset + part.length as u64;
        let first = runs.partition_point(|run| run.end <= part.offset);
        for run in runs.iter().skip(first).take_while(|run| run.start < end) {
            // A file system may track data in blocks smaller than a page.
            let from = run.start.max(part.offset) / page * page - part.offset;
            let to = run.end.next_multiple_of(page).min(end) - part.offset;
            written.push(counter(place + from)..counter(place + to));
        }
        place += part.length as u64;
    }
    written.push(counter(place)..u32::MAX);
    written
}

/// The number of the counter at an offset in a block.
fn counter(place: u64) -> u32 {
    u32::try_from(place / WORD as u64).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn written_runs_are_found_in_the_parts_of_a_block() {
        let page = page_size() as u64;
        let part = |first: u64, pages: usize| FileRange {
            offset: first * page,
            length: pages * page_size(),
        };
        let runs = [page..2 * page, 10 * page..13 * page + 1];
        let per_page = u32::try_from(page / 8).expect("small");
        let pages = |range: Range<u32>| range.start * per_page..range.end * per_page;
        let after = |pages: u32| pages * per_page..u32::MAX;
        assert_eq!(
            written_counters(&runs, &[part(0, 4), part(12, 4)]),
            [pages(1..2), pages(4..6), after(8)]
        );
        assert_eq!(written_counters(&runs, &[part(3, 2)]), [after(2)]);
        assert_eq!(written_counters(&[], &[part(3, 2)]), [after(2)]);
    }
}
