//! The objects of a heap by the addresses that the program sees: in a trace, those of ZGC's old generation are marked.

use ducktrack_heap_replay::{Heap, LiveObject};
use ducktrack_trace_format::OLD_GENERATION;

/// An address as the program sees it.
pub(crate) fn program_address(address: u64) -> u64 {
    address & !OLD_GENERATION
}

/// All objects, ascending by the addresses that the program sees.
pub(crate) fn by_program_address(heap: &Heap) -> impl Iterator<Item = &LiveObject> {
    merge(heap.objects(), heap.objects())
}

/// Both are the same objects, ascending by their addresses in the trace, where those of the old generation come last.
fn merge<'a>(
    ones: impl Iterator<Item = &'a LiveObject>,
    others: impl Iterator<Item = &'a LiveObject>,
) -> impl Iterator<Item = &'a LiveObject> {
    let is_old = |object: &&LiveObject| object.address() & OLD_GENERATION != 0;
    let mut young = ones.take_while(move |object| !is_old(object)).peekable();
    let mut old = others.skip_while(move |object| !is_old(object)).peekable();
    core::iter::from_fn(move || match (young.peek(), old.peek()) {
        (Some(one), Some(other)) if program_address(other.address()) < one.address() => old.next(),
        (None, _) => old.next(),
        _ => young.next(),
    })
}

#[cfg(test)]
mod tests {
    use ducktrack_count_model::{SiteColumn, TypeColumn};

    use super::*;

    #[test]
    fn both_generations_are_one_list() {
        let object = |end| LiveObject::new(end, 8, SiteColumn::NONE, TypeColumn::NONE, 0);
        let young = [object(16), object(64), object(80)];
        let old = [24, 32, 96].map(|end| object(end | OLD_GENERATION));
        let all: Vec<_> = young.iter().chain(&old).collect();
        let merged = merge(all.iter().copied(), all.iter().copied());
        let addresses: Vec<u64> = merged.map(|one| program_address(one.address())).collect();
        assert_eq!(addresses, [8, 16, 24, 56, 72, 88]);
        let merged = merge(young.iter(), young.iter());
        assert_eq!(merged.count(), 3);
    }
}
