//! Who asked for objects of which no stack was sampled: who was seen to reach the same class of the JDK.

use std::sync::Arc;

use ducktrack_count_model::Tally;
use rustc_hash::FxHashMap;

use crate::advice::Place;

/// The lines that reached each class, by the sampled stacks.
#[derive(Default)]
pub(crate) struct SeenAskers {
    by_class: FxHashMap<Arc<str>, Vec<SeenAsker>>,
}

/// A line, and its way to the class.
#[derive(Clone)]
pub(crate) struct SeenAsker {
    pub(crate) place: Place,
    pub(crate) path: Vec<(Arc<str>, Arc<str>)>,
    /// What it is known to have asked for.
    pub(crate) tally: Tally,
}

impl SeenAskers {
    /// Notes a line that asked through these methods, the called one first.
    pub(crate) fn add(&mut self, place: &Place, path: &[(Arc<str>, Arc<str>)], tally: Tally) {
        for (at, (class, _)) in path.iter().enumerate() {
            let is_last = !path.iter().skip(at + 1).any(|(later, _)| later == class);
            if !is_last {
                continue;
            }
            let way = path.get(..=at).unwrap_or(path);
            let known = self.by_class.entry(Arc::clone(class)).or_default();
            let same =
                |asker: &&mut SeenAsker| asker.place == *place && asker.path.first() == way.first();
            match known.iter_mut().find(same) {
                Some(asker) => asker.tally += tally,
                None => known.push(SeenAsker {
                    place: place.clone(),
                    path: way.to_vec(),
                    tally,
                }),
            }
        }
    }

    /// The lines that reached a class.
    pub(crate) fn of(&self, class: &str) -> &[SeenAsker] {
        self.by_class.get(class).map_or(&[], Vec::as_slice)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_class_knows_the_lines_on_whose_way_it_is() {
        let place = |line| Place {
            class: Arc::from("Shop"),
            method: Arc::from("sell"),
            line: Some(line),
        };
        let path = ["String.split", "Pattern.split", "ArrayList.add"].map(|name| {
            let (class, name) = name.split_once('.').expect("a dot");
            (Arc::from(class), Arc::from(name))
        });
        let tally = Tally {
            count: 2,
            bytes: 48,
        };
        let mut seen = SeenAskers::default();
        seen.add(&place(3), &path, tally);
        seen.add(&place(3), &path, tally);
        seen.add(&place(9), &path[2..], tally);
        let counts = |class| seen.of(class).iter().map(|asker| asker.tally.count);
        assert_eq!(counts("ArrayList").collect::<Vec<_>>(), [4, 2]);
        assert_eq!(counts("Pattern").collect::<Vec<_>>(), [4]);
        assert_eq!(seen.of("Pattern")[0].path, path[..2]);
        assert!(seen.of("HashMap").is_empty());
    }
}
