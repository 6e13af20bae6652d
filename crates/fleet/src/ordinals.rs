//! The number of a site among its like in one method: what stays the same when lines move.

use std::hash::Hash;

use ducktrack_count_model::CountModel;
use rustc_hash::FxHashMap;

/// By position in the model's tables.
#[derive(Debug, Default)]
pub(crate) struct Ordinals {
    pub(crate) sites: Vec<u32>,
    pub(crate) calls: Vec<u32>,
}

impl Ordinals {
    /// Sites are alike if they allocate the same type in the same way, calls if they call the same; their order is that of the bytecode.
    pub(crate) fn of(model: &CountModel) -> Self {
        let sites = model.sites.iter();
        let calls = model.calls.iter();
        Self {
            sites: numbered(sites.map(|site| {
                let like = (site.method, site.kind.name(), site.ty.clone());
                (like, (site.bci, site.line))
            })),
            calls: numbered(calls.map(|call| {
                let like = (call.method, call.target.clone());
                (like, (call.bci, call.line))
            })),
        }
    }
}

/// For each thing how many of its like stand before it.
fn numbered<K: Eq + Hash, P: Ord>(things: impl Iterator<Item = (K, P)>) -> Vec<u32> {
    let mut groups: FxHashMap<K, Vec<(P, usize)>> = FxHashMap::default();
    let mut count = 0;
    for (at, (like, place)) in things.enumerate() {
        groups.entry(like).or_default().push((place, at));
        count = at + 1;
    }
    let mut numbers = vec![0; count];
    for mut group in groups.into_values() {
        group.sort_unstable();
        for ((_, at), number) in group.into_iter().zip(0..) {
            numbers[at] = number;
        }
    }
    numbers
}

#[cfg(test)]
mod tests {
    use super::numbered;

    #[test]
    fn the_order_is_that_of_the_places() {
        let things = [("a", 30), ("b", 5), ("a", 10), ("a", 20)];
        assert_eq!(numbered(things.into_iter()), [2, 0, 0, 1]);
    }
}
