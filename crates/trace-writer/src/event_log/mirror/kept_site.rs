//! What a kept word says of its object's origin: a site, or a site with the caller to blame, in one number of 20 bits.
//!
//! ```text
//! number below 0xC0000     the site of that number, without a caller
//! 0xC0000 + n              the n-th pair of site and caller
//! ```
//!
//! Pairs are numbered when a piece first has them; programs have some thousands. One too many is kept as its site alone.

use ducktrack_trace_format::{CallSiteId, SiteId};
use rustc_hash::FxHashMap;

const FIRST_PAIR: u32 = 0xC_0000;
const MOST_PAIRS: usize = (1 << 20) - FIRST_PAIR as usize;

/// A site, perhaps with a caller, as kept words have it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct KeptSite(u32);

impl KeptSite {
    /// Sites below this number can be kept.
    pub(crate) const MOST_ALONE: usize = FIRST_PAIR as usize;

    /// Without a caller; `None`: its number is too high to be kept.
    pub(crate) fn alone(site: SiteId) -> Option<Self> {
        (site.0 < FIRST_PAIR).then_some(Self(site.0))
    }

    /// The number of the upper 20 bits of a word.
    pub(crate) fn of_word(word: u32) -> Self {
        Self(word >> 12)
    }

    /// In the upper 20 bits of a word.
    #[inline]
    pub(crate) fn in_word(self) -> u32 {
        self.0 << 12
    }
}

/// The numbers of pairs.
#[derive(Debug, Default)]
pub(crate) struct KeptSites {
    pairs: Vec<(SiteId, CallSiteId)>,
    numbers: FxHashMap<(SiteId, CallSiteId), KeptSite>,
}

impl KeptSites {
    /// The number of a site with a caller; `None`: the site's own is too high to be kept.
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

    /// Site and caller of a number; caller 0: none.
    pub(crate) fn resolve(&self, kept: KeptSite) -> (SiteId, CallSiteId) {
        let pair = kept.0.checked_sub(FIRST_PAIR);
        let pair = pair.and_then(|index| self.pairs.get(index as usize));
        pair.copied().unwrap_or((SiteId(kept.0), CallSiteId(0)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_gives_back_what_it_was_made_for() {
        let mut sites = KeptSites::default();
        let (site, caller) = (SiteId(300), CallSiteId(9));
        let alone = sites.number(site, None).unwrap();
        assert_eq!(sites.number(site, Some(CallSiteId(0))), Some(alone));
        let pair = sites.number(site, Some(caller)).unwrap();
        let other = sites.number(SiteId(301), Some(caller)).unwrap();
        assert_eq!(sites.number(site, Some(caller)), Some(pair));
        assert_eq!(sites.resolve(alone), (site, CallSiteId(0)));
        assert_eq!(sites.resolve(pair), (site, caller));
        assert_eq!(sites.resolve(other), (SiteId(301), caller));
        assert_eq!(KeptSite::of_word(pair.in_word() | 0xFFF), pair);
        assert_eq!(sites.number(SiteId(FIRST_PAIR), Some(caller)), None);
    }

    #[test]
    fn one_pair_too_many_is_its_site_alone() {
        let mut sites = KeptSites::default();
        for caller in 1..=MOST_PAIRS as u32 {
            let pair = sites.number(SiteId(20), Some(CallSiteId(caller)));
            assert_eq!(
                pair.map(|pair| sites.resolve(pair).1),
                Some(CallSiteId(caller))
            );
        }
        let last = sites.number(SiteId(21), Some(CallSiteId(1))).unwrap();
        assert_eq!(sites.resolve(last), (SiteId(21), CallSiteId(0)));
    }
}
