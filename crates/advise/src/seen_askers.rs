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
    /// The type of the objects as a descriptor.
    ty: Option<Arc<str>>,
    /// What it is known to have asked for.
    pub(crate) tally: Tally,
}

impl SeenAskers {
    /// Notes a line that asked for objects of a type through these methods, the called one first.
    pub(crate) fn add(
        &mut self,
        place: &Place,
        path: &[(Arc<str>, Arc<str>)],
        (ty, tally): (Option<&Arc<str>>, Tally),
    ) {
        for (at, (class, _)) in path.iter().enumerate() {
            let is_last = !path.iter().skip(at + 1).any(|(later, _)| later == class);
            if !is_last {
                continue;
            }
            let way = path.get(..=at).unwrap_or(path);
            let known = self.by_class.entry(Arc::clone(class)).or_default();
            let same = |asker: &&mut SeenAsker| {
                asker.place == *place
                    && asker.path.first() == way.first()
                    && asker.ty.as_ref() == ty
            };
            match known.iter_mut().find(same) {
                Some(asker) => asker.tally += tally,
                None => known.push(SeenAsker {
                    place: place.clone(),
                    path: way.to_vec(),
                    ty: ty.cloned(),
                    tally,
                }),
            }
        }
    }

    /// The lines that reached a class, and may have asked for objects of the type there: whose way makes arrays of references makes none
    /// of bytes.
    pub(crate) fn of(&self, class: &str, ty: Option<&str>) -> Vec<&SeenAsker> {
        let askers = self.by_class.get(class).into_iter().flatten();
        askers
            .filter(|asker| may_be_on_one_way(asker.ty.as_deref(), ty))
            .collect()
    }
}

/// Not where both are arrays, of elements that differ in kind: all references are of one.
fn may_be_on_one_way(seen: Option<&str>, other: Option<&str>) -> bool {
    let element = |ty: Option<&str>| {
        let element = ty?.strip_prefix('[')?.chars().next()?;
        Some(if element == '[' { 'L' } else { element })
    };
    match (element(seen), element(other)) {
        (Some(seen), Some(other)) => seen == other,
        _ => true,
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
        let ty = Arc::from("[Ljava/lang/Object;");
        seen.add(&place(3), &path, (Some(&ty), tally));
        seen.add(&place(3), &path, (Some(&ty), tally));
        seen.add(&place(9), &path[2..], (Some(&ty), tally));
        let counts = |class, ty| -> Vec<i64> {
            let askers = seen.of(class, ty).into_iter();
            askers.map(|asker| asker.tally.count).collect()
        };
        assert_eq!(counts("ArrayList", None), [4, 2]);
        assert_eq!(counts("ArrayList", Some("[[B")), [4, 2]);
        assert_eq!(
            counts("ArrayList", Some("Ljava/util/ArrayList$Itr;")),
            [4, 2]
        );
        assert!(counts("ArrayList", Some("[B")).is_empty());
        assert_eq!(counts("Pattern", None), [4]);
        assert_eq!(seen.of("Pattern", None)[0].path, path[..2]);
        assert!(seen.of("HashMap", None).is_empty());
    }
}
