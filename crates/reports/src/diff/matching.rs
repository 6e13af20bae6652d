//! Which place of one run is which of the other.
//!
//! Places with the same name are matched: sites of the same class, method, descriptor, type and
//! way of allocating; calls of the same class, method, descriptor and target. Within such a group
//!
//! 1. the same bytecode indices on both sides: by index;
//! 2. else the same number of sites: in order (code was added before them; the n-th stays the n-th);
//! 3. else equal indices first, the remaining ones in order, the rest is new or gone.
//!
//! ```text
//! before  @4 @9       after  @4 @9        4-4, 9-9
//! before  @4 @9       after  @7 @12       4-7, 9-12
//! before  @4 @9       after  @4 @6 @9     4-4, 9-9, 6 is new
//! ```

use std::collections::BTreeMap;

use crate::json::{AmountDoc, CauseDoc, SiteDoc};

/// A place in a method, and what else tells it from others there.
pub trait Placed {
    /// Class, method, descriptor, and two more names.
    fn name(&self) -> [&str; 5];
    /// Its bytecode index.
    fn bci(&self) -> u16;
    /// Its line.
    fn line(&self) -> Option<u16>;
    /// Its objects and bytes; of a call those charged to it.
    fn amount(&self) -> AmountDoc;
}

impl Placed for SiteDoc {
    fn name(&self) -> [&str; 5] {
        let ty = self.ty.as_deref().unwrap_or_default();
        [&self.class, &self.method, &self.descriptor, ty, &self.kind]
    }

    fn bci(&self) -> u16 {
        self.bci
    }

    fn line(&self) -> Option<u16> {
        self.line
    }

    fn amount(&self) -> AmountDoc {
        AmountDoc {
            count: self.count,
            bytes: self.bytes,
        }
    }
}

impl Placed for CauseDoc {
    fn name(&self) -> [&str; 5] {
        [
            &self.class,
            &self.method,
            &self.descriptor,
            &self.target,
            "",
        ]
    }

    fn bci(&self) -> u16 {
        self.bci
    }

    fn line(&self) -> Option<u16> {
        self.line
    }

    fn amount(&self) -> AmountDoc {
        AmountDoc {
            count: self.charged_objects,
            bytes: self.charged_bytes,
        }
    }
}

type Group<'a, T> = BTreeMap<u16, &'a T>;
/// The name, and which of several places with the same name and bytecode index it is: classes of several loaders have the same.
type Key<'a> = ([&'a str; 5], usize);
/// A place of the first run and the same place of the second.
pub(super) type Pair<'a, T> = (Option<&'a T>, Option<&'a T>);

/// All places of both runs, matched where they are the same.
pub(super) fn match_places<'a, T: Placed>(before: &'a [T], after: &'a [T]) -> Vec<Pair<'a, T>> {
    let mut groups: BTreeMap<Key<'a>, (Group<'a, T>, Group<'a, T>)> = BTreeMap::new();
    for (key, place) in keyed(before) {
        groups.entry(key).or_default().0.insert(place.bci(), place);
    }
    for (key, place) in keyed(after) {
        groups.entry(key).or_default().1.insert(place.bci(), place);
    }
    groups
        .into_values()
        .flat_map(|(before, after)| match_group(before, after))
        .collect()
}

/// The n-th place of a name and bytecode index is matched with the n-th.
fn keyed<T: Placed>(places: &[T]) -> impl Iterator<Item = (Key<'_>, &T)> {
    let mut seen: BTreeMap<([&str; 5], u16), usize> = BTreeMap::new();
    places.iter().map(move |place| {
        let name = place.name();
        let times = seen.entry((name, place.bci())).or_default();
        let key = (name, *times);
        *times += 1;
        (key, place)
    })
}

fn match_group<'a, T>(mut before: Group<'a, T>, mut after: Group<'a, T>) -> Vec<Pair<'a, T>> {
    let mut pairs = Vec::new();
    if before.len() != after.len() {
        let same: Vec<u16> = before
            .keys()
            .copied()
            .filter(|bci| after.contains_key(bci))
            .collect();
        pairs.extend(
            same.into_iter()
                .map(|bci| (before.remove(&bci), after.remove(&bci))),
        );
    }
    let (mut left, mut right) = (before.into_values(), after.into_values());
    loop {
        match (left.next(), right.next()) {
            (None, None) => return pairs,
            pair => pairs.push(pair),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sites(bcis: &[u16]) -> Vec<SiteDoc> {
        let site = |bci: &u16| SiteDoc {
            class: "A".into(),
            bci: *bci,
            ..SiteDoc::default()
        };
        bcis.iter().map(site).collect()
    }

    fn matched(before: &[u16], after: &[u16]) -> Vec<(Option<u16>, Option<u16>)> {
        let (before, after) = (sites(before), sites(after));
        let bci = |site: Option<&SiteDoc>| site.map(|site| site.bci);
        match_places(&before, &after)
            .into_iter()
            .map(|(a, b)| (bci(a), bci(b)))
            .collect()
    }

    #[test]
    fn the_three_rows_of_the_module_comment() {
        assert_eq!(
            matched(&[4, 9], &[4, 9]),
            [(Some(4), Some(4)), (Some(9), Some(9))]
        );
        assert_eq!(
            matched(&[4, 9], &[7, 12]),
            [(Some(4), Some(7)), (Some(9), Some(12))]
        );
        assert_eq!(
            matched(&[4, 9], &[4, 6, 9]),
            [(Some(4), Some(4)), (Some(9), Some(9)), (None, Some(6))]
        );
    }

    #[test]
    fn another_type_is_another_site() {
        let mut after = sites(&[4]);
        after[0].ty = Some("int[]".into());
        let before = sites(&[4]);
        assert_eq!(match_places(&before, &after).len(), 2);
    }

    #[test]
    fn a_class_of_two_loaders_keeps_both_sites() {
        assert_eq!(matched(&[4, 4], &[4, 4, 4]).len(), 3);
    }
}
