//! Sparse vectors over sites: how often each site was executed, counted, or is still owed.
//!
//! A vector is a sorted list of `(site, amount)` without zero amounts, so that equality of lists
//! is equality of vectors. Most vectors have no or very few terms.

use std::fmt;

use crate::index::SiteId;

/// A sparse vector of whole numbers indexed by sites.
#[derive(Clone, PartialEq, Eq, Hash, Default)]
pub struct SiteVector {
    terms: Vec<(SiteId, i32)>,
}

impl SiteVector {
    /// The zero vector.
    pub const fn zero() -> Self {
        Self { terms: Vec::new() }
    }

    /// The vector with one unit for each listed site; a site listed twice has amount two.
    pub fn from_sites(sites: impl IntoIterator<Item = SiteId>) -> Self {
        let mut sites: Vec<SiteId> = sites.into_iter().collect();
        sites.sort_unstable();
        let mut terms: Vec<(SiteId, i32)> = Vec::with_capacity(sites.len());
        for site in sites {
            match terms.last_mut() {
                Some((last, amount)) if *last == site => *amount = amount.saturating_add(1),
                _ => terms.push((site, 1)),
            }
        }
        Self { terms }
    }

    /// Whether every amount is zero.
    pub fn is_zero(&self) -> bool {
        self.terms.is_empty()
    }

    /// The sites with an amount that is not zero, in ascending order.
    pub fn terms(&self) -> &[(SiteId, i32)] {
        &self.terms
    }

    /// The number of sites with an amount that is not zero.
    pub fn len(&self) -> usize {
        self.terms.len()
    }

    /// Whether there are no terms; the same as [`SiteVector::is_zero`].
    pub fn is_empty(&self) -> bool {
        self.is_zero()
    }

    /// The amount of one site.
    pub fn amount(&self, site: SiteId) -> i32 {
        match self.terms.binary_search_by_key(&site, |term| term.0) {
            Ok(position) => self.terms[position].1,
            Err(_) => 0,
        }
    }

    /// Adds one unit of one site, as a caller does while it walks the sites inside a block.
    pub fn add_site(&mut self, site: SiteId) {
        match self.terms.binary_search_by_key(&site, |term| term.0) {
            Ok(position) => {
                let amount = self.terms[position].1.saturating_add(1);
                if amount == 0 {
                    self.terms.remove(position);
                } else {
                    self.terms[position].1 = amount;
                }
            }
            Err(position) => self.terms.insert(position, (site, 1)),
        }
    }

    /// `self + other`.
    #[must_use]
    pub fn plus(&self, other: &Self) -> Self {
        self.combine(other, 1)
    }

    /// `self - other`.
    #[must_use]
    pub fn minus(&self, other: &Self) -> Self {
        self.combine(other, -1)
    }

    /// `-self`.
    #[must_use]
    pub fn negated(&self) -> Self {
        Self::zero().minus(self)
    }

    /// `self + sign * other`, by merging the two sorted lists. Amounts stay small because the
    /// builder of a graph bounds them (see `GraphError::TooManyOccurrences`), so they never
    /// saturate.
    fn combine(&self, other: &Self, sign: i32) -> Self {
        if other.is_zero() {
            return self.clone();
        }
        let mut terms = Vec::with_capacity(self.terms.len() + other.terms.len());
        let (mut left, mut right) = (self.terms.as_slice(), other.terms.as_slice());
        while let (Some(&(a, x)), Some(&(b, y))) = (left.first(), right.first()) {
            if a < b {
                terms.push((a, x));
                left = &left[1..];
            } else if b < a {
                terms.push((b, sign.saturating_mul(y)));
                right = &right[1..];
            } else {
                let sum = x.saturating_add(sign.saturating_mul(y));
                if sum != 0 {
                    terms.push((a, sum));
                }
                left = &left[1..];
                right = &right[1..];
            }
        }
        terms.extend_from_slice(left);
        terms.extend(right.iter().map(|&(b, y)| (b, sign.saturating_mul(y))));
        Self { terms }
    }
}

impl FromIterator<(SiteId, i32)> for SiteVector {
    fn from_iter<I: IntoIterator<Item = (SiteId, i32)>>(terms: I) -> Self {
        let mut listed: Vec<(SiteId, i32)> = terms.into_iter().collect();
        listed.sort_unstable_by_key(|term| term.0);
        let mut merged: Vec<(SiteId, i32)> = Vec::with_capacity(listed.len());
        for (site, amount) in listed {
            match merged.last_mut() {
                Some((last, sum)) if *last == site => *sum = sum.saturating_add(amount),
                _ => merged.push((site, amount)),
            }
        }
        merged.retain(|term| term.1 != 0);
        Self { terms: merged }
    }
}

impl fmt::Display for SiteVector {
    /// `+2 site1 -1 site4`, or `0`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_zero() {
            return f.write_str("0");
        }
        for (position, (site, amount)) in self.terms.iter().enumerate() {
            if position > 0 {
                f.write_str(" ")?;
            }
            match amount {
                1 => write!(f, "+{site}")?,
                -1 => write!(f, "-{site}")?,
                _ => write!(f, "{amount:+} {site}")?,
            }
        }
        Ok(())
    }
}

impl fmt::Debug for SiteVector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{self}]")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vector(terms: &[(u32, i32)]) -> SiteVector {
        terms
            .iter()
            .map(|&(site, amount)| (SiteId::new(site), amount))
            .collect()
    }

    #[test]
    fn sums_are_sorted_and_have_no_zero_terms() {
        let sum = vector(&[(1, 1), (3, 2)]).plus(&vector(&[(0, 4), (1, -1), (7, 1)]));
        assert_eq!(sum, vector(&[(0, 4), (3, 2), (7, 1)]));
        assert_eq!(sum.to_string(), "+4 site0 +2 site3 +site7");
        assert!(sum.minus(&sum).is_zero());
        assert_eq!(sum.negated().amount(SiteId::new(3)), -2);
        assert_eq!(sum.amount(SiteId::new(4)), 0);
    }

    #[test]
    fn adding_a_site_can_cancel_a_debt() {
        let mut owed = vector(&[(2, -1)]);
        owed.add_site(SiteId::new(2));
        assert!(owed.is_zero());
        owed.add_site(SiteId::new(5));
        owed.add_site(SiteId::new(1));
        owed.add_site(SiteId::new(5));
        assert_eq!(owed, vector(&[(1, 1), (5, 2)]));
    }

    #[test]
    fn repeated_sites_add_up() {
        let sites = [3, 1, 3].map(SiteId::new);
        assert_eq!(SiteVector::from_sites(sites), vector(&[(1, 1), (3, 2)]));
        assert_eq!(vector(&[(1, 1), (2, 2), (1, -1)]), vector(&[(2, 2)]));
    }
}
