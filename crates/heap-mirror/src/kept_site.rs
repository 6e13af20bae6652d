//! The origin of a kept object in 20 bits: a site, or a site with the caller to blame.
//!
//! ```text
//! below 0xE0000     as in an event's word: a site without a caller, or a called site
//! 0xE0000 + n       the n-th pair of site and caller; no site has such a number
//! ```
//!
//! A pair gets its number when a piece first has it; programs have a few thousand. When the numbers run out, only the
//! site is kept.

use ducktrack_trace_format::{CallSiteId, END_OF_SITES, SiteFacts, SiteId};
use rustc_hash::FxHashMap;

use crate::site_cache::SiteCache;

const FIRST_PAIR: u32 = END_OF_SITES;
const MOST_PAIRS: usize = (1 << 20) - FIRST_PAIR as usize;

/// A site, perhaps with a caller, as kept words encode it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeptSite(u32);

impl KeptSite {
    /// A site without a caller; `None` if its number is too high to be kept.
    pub fn alone(site: SiteId) -> Option<Self> {
        (site.0 < FIRST_PAIR).then_some(Self(site.0))
    }

    /// Decodes the upper 20 bits of a word.
    pub fn of_word(word: u32) -> Self {
        Self(word >> 12)
    }

    /// Encodes it in the upper 20 bits of a word.
    #[inline]
    pub fn in_word(self) -> u32 {
        self.0 << 12
    }
}

/// The pairs of site and caller, and their numbers.
#[derive(Debug, Default)]
pub(crate) struct KeptSites {
    pairs: Vec<(SiteId, CallSiteId)>,
    numbers: FxHashMap<(SiteId, CallSiteId), KeptSite>,
}

impl KeptSites {
    /// The number of a site with a caller; `None` if the site's own number is too high to be kept.
    pub(crate) fn number(&mut self, site: SiteId, caller: Option<CallSiteId>) -> Option<KeptSite> {
        let alone = KeptSite::alone(site)?;
        let Some(caller) = caller.filter(|caller| caller.0 != 0) else {
            return Some(alone);
        };
        if let Some(known) = self.numbers.get(&(site, caller)) {
            return Some(*known);
        }
        if self.pairs.len() == MOST_PAIRS {
            return Some(alone);
        }
        let number = KeptSite(FIRST_PAIR + self.pairs.len() as u32);
        self.pairs.push((site, caller));
        self.numbers.insert((site, caller), number);
        Some(number)
    }

    /// Site and caller of a number; caller 0 means none.
    pub(crate) fn resolve(&self, kept: KeptSite, facts: &SiteCache) -> (SiteId, CallSiteId) {
        let pair = match kept.0.checked_sub(FIRST_PAIR) {
            Some(index) => self.pairs.get(index as usize).copied(),
            None => facts.called(SiteId(kept.0)),
        };
        pair.unwrap_or((SiteId(kept.0), CallSiteId(0)))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use ducktrack_trace_format::FIRST_CALLED_SITE;

    use super::*;

    struct OneCalledSite;

    impl SiteFacts for OneCalledSite {
        fn fixed_bytes(&self, _: SiteId) -> Option<u32> {
            None
        }

        fn is_measured(&self, _: SiteId) -> bool {
            true
        }

        fn called(&self, site: SiteId) -> Option<(SiteId, CallSiteId)> {
            (site.0 == FIRST_CALLED_SITE).then_some((SiteId(300), CallSiteId(9)))
        }
    }

    #[test]
    fn a_number_gives_back_what_it_was_made_for() {
        let facts = SiteCache::new(Arc::new(OneCalledSite));
        let mut sites = KeptSites::default();
        let (site, caller) = (SiteId(300), CallSiteId(9));
        let alone = sites.number(site, None).unwrap();
        assert_eq!(sites.number(site, Some(CallSiteId(0))), Some(alone));
        let pair = sites.number(site, Some(caller)).unwrap();
        let other = sites.number(SiteId(301), Some(caller)).unwrap();
        assert_eq!(sites.number(site, Some(caller)), Some(pair));
        assert_eq!(sites.resolve(alone, &facts), (site, CallSiteId(0)));
        assert_eq!(sites.resolve(pair, &facts), (site, caller));
        assert_eq!(sites.resolve(other, &facts), (SiteId(301), caller));
        let called = KeptSite::of_word(FIRST_CALLED_SITE << 12 | 3);
        assert_eq!(sites.resolve(called, &facts), (site, caller));
        assert_eq!(KeptSite::of_word(pair.in_word() | 0xFFF), pair);
        assert_eq!(sites.number(SiteId(FIRST_PAIR), Some(caller)), None);
    }

    #[test]
    fn one_pair_too_many_is_its_site_alone() {
        let facts = SiteCache::new(Arc::new(OneCalledSite));
        let mut sites = KeptSites::default();
        for caller in 1..=MOST_PAIRS as u32 {
            let pair = sites.number(SiteId(20), Some(CallSiteId(caller)));
            assert_eq!(
                pair.map(|pair| sites.resolve(pair, &facts).1),
                Some(CallSiteId(caller))
            );
        }
        let last = sites.number(SiteId(21), Some(CallSiteId(1))).unwrap();
        assert_eq!(sites.resolve(last, &facts), (SiteId(21), CallSiteId(0)));
    }
}
