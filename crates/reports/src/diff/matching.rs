//! Which site of one run is which of the other.
//!
//! Sites of the same class, method, descriptor, type and way of allocating are matched. Within such a group
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

use crate::json::SiteDoc;

type Group<'a> = BTreeMap<u16, &'a SiteDoc>;
type Key<'a> = (&'a str, &'a str, &'a str, Option<&'a str>, &'a str, usize);
/// A site of the first run and the same site of the second.
pub(super) type Pair<'a> = (Option<&'a SiteDoc>, Option<&'a SiteDoc>);

/// All sites of both runs, matched where they are the same.
pub(super) fn match_sites<'a>(before: &'a [SiteDoc], after: &'a [SiteDoc]) -> Vec<Pair<'a>> {
    let mut groups: BTreeMap<Key<'a>, (Group<'a>, Group<'a>)> = BTreeMap::new();
    for (key, site) in keyed(before) {
        groups.entry(key).or_default().0.insert(site.bci, site);
    }
    for (key, site) in keyed(after) {
        groups.entry(key).or_default().1.insert(site.bci, site);
    }
    groups
        .into_values()
        .flat_map(|(before, after)| match_group(before, after))
        .collect()
}

/// The same class in several loaders gives the same key again; the n-th such site is then matched with the n-th.
fn keyed(sites: &[SiteDoc]) -> Vec<(Key<'_>, &SiteDoc)> {
    let mut seen: BTreeMap<(Key<'_>, u16), usize> = BTreeMap::new();
    sites
        .iter()
        .map(|site| {
            let mut key: Key<'_> = (
                &site.class,
                &site.method,
                &site.descriptor,
                site.ty.as_deref(),
                &site.kind,
                0,
            );
            let times = seen.entry((key, site.bci)).or_default();
            key.5 = *times;
            *times += 1;
            (key, site)
        })
        .collect()
}

fn match_group<'a>(mut before: Group<'a>, mut after: Group<'a>) -> Vec<Pair<'a>> {
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
        match_sites(&before, &after)
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
        assert_eq!(match_sites(&before, &after).len(), 2);
    }

    #[test]
    fn a_class_of_two_loaders_keeps_both_sites() {
        assert_eq!(matched(&[4, 4], &[4, 4, 4]).len(), 3);
    }
}
