//! Is one line explained better by two, of which the second is flatter?
//!
//! A cache that is full keeps hardly anything of what comes then, and a leak that began beside a warm-up keeps less than that did.
//! The mean of both is the rate of neither. Cohorts are Poisson events with one intensity, or with one up to a cohort and another
//! from there on; the likelihoods decide, divided by the dispersion (Wedderburn 1974), against as many places as the change can have.

use core::ops::Range;

use crate::interval::CONFIDENCE;
use crate::trend::{BEND, Trend, pearson};

/// Fewer cohorts are no line: births and deaths are known to a cohort.
pub(crate) const SHORTEST: usize = 2;

/// A second line that is flatter than the first.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Change {
    /// The cohort with which it begins.
    pub(crate) since: usize,
    likelihood: f64,
    dispersion: f64,
    odds: f64,
}

impl Change {
    /// Of these cohorts, if two lines explain them better than one, and the second is
    /// flatter by more than a curve with a time constant of one span becomes within it.
    pub(crate) fn of(kept: &[f64], lengths: &[f64], unit: f64) -> Option<Self> {
        let count = kept.len().min(lengths.len());
        let places = SHORTEST..(count + 1).saturating_sub(SHORTEST);
        let part = |range: Range<usize>| Part {
            events: kept.get(range.clone()).unwrap_or_default().iter().sum(),
            length: lengths.get(range).unwrap_or_default().iter().sum(),
        };
        let whole = part(0..count);
        let both = |place: usize| (part(0..place), part(place..count));
        let likelihood = |place: usize| {
            let (before, after) = both(place);
            before.likelihood() + after.likelihood()
        };
        let odds = CONFIDENCE / (1.0 - CONFIDENCE) * places.len() as f64;
        let since = places.max_by(|a, b| likelihood(*a).total_cmp(&likelihood(*b)))?;
        let (before, after) = both(since);
        if after.rate() > before.rate() * (-1.0 / BEND).exp() {
            return None;
        }
        let rates = (0..count).map(|at| match at < since {
            true => before.rate(),
            false => after.rate(),
        });
        let expected = rates.zip(lengths).map(|(rate, length)| rate * length);
        let change = Self {
            since,
            likelihood: likelihood(since),
            dispersion: pearson(kept.iter().copied().take(count), expected).max(unit),
            odds,
        };
        change.is_likelier(whole.likelihood()).then_some(change)
    }

    /// Whether a second line of which so much is sure goes on, at whatever cohort it begins.
    pub(crate) fn is_sure(&self, sure: f64) -> bool {
        (1.0 - sure) * self.odds <= 1.0
    }

    /// Than a curve that saturates, of the same cohorts.
    pub(crate) fn is_likelier_than(&self, curve: &Trend) -> bool {
        let events = curve.events();
        self.is_likelier(curve.best() + events * events.ln())
    }

    fn is_likelier(&self, other: f64) -> bool {
        (self.likelihood - other) / self.dispersion >= self.odds.ln()
    }
}

/// Some cohorts in a row.
struct Part {
    events: f64,
    length: f64,
}

impl Part {
    fn rate(&self) -> f64 {
        match self.length > 0.0 {
            true => self.events / self.length,
            false => 0.0,
        }
    }

    /// Of its own rate, up to what no rate changes.
    fn likelihood(&self) -> f64 {
        match self.events > 0.0 && self.length > 0.0 {
            true => self.events * self.rate().ln(),
            false => 0.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn since(kept: &[f64]) -> Option<usize> {
        Change::of(kept, &vec![1.0; kept.len()], 1.0).map(|change| change.since)
    }

    /// Entries that a released cache of 30,000 keeps of each cohort.
    #[test]
    fn a_cache_that_is_full_keeps_little_of_what_comes() {
        let kept = [
            5244., 2541., 4242., 5070., 2629., 3103., 2212., 178., 211., 196., 269., 183., 188.,
            174.,
        ];
        assert_eq!(since(&kept), Some(7));
    }

    #[test]
    fn what_stands_still_has_no_rate() {
        let kept = |full: usize| -> Vec<f64> {
            (0..15)
                .map(|at| if at < full { 60.0 } else { 0.0 })
                .collect()
        };
        for full in [4, 9, 13] {
            assert_eq!(since(&kept(full)), Some(full));
        }
        // One cohort is no line.
        assert_eq!(since(&kept(14)), None);
    }

    #[test]
    fn a_line_batches_and_what_becomes_faster_have_no_change() {
        assert_eq!(since(&[60.0; 15]), None);
        let batches = [
            90., 0., 0., 85., 0., 0., 88., 0., 0., 92., 0., 0., 90., 0., 0.,
        ];
        assert_eq!(since(&batches), None);
        let faster: Vec<f64> = (0..15).map(f64::from).collect();
        assert_eq!(since(&faster), None);
        // Half as fast is no other line.
        let slower: Vec<f64> = (0..15)
            .map(|at| if at < 8 { 600.0 } else { 300.0 })
            .collect();
        assert_eq!(since(&slower), None);
        // Twelve objects.
        assert_eq!(
            since(&[1., 1., 0., 1., 1., 1., 0., 1., 1., 1., 1., 0., 1., 0., 0.]),
            None
        );
        assert_eq!(since(&[]), None);
    }
}
