//! Does a curve that bends have a bound?
//!
//! The exponential curve of [`Trend`] ends at a level: so many keys, and each comes once. A power of the clock does not: its
//! intensity is `x^-q` with q from 0 to 1 (Duane 1964, Crow 1974). Listeners that are called at each event make each event
//! dearer, so that n of them take n^2 bytes of the clock; new words of a text become rarer and do not end. Models of software
//! reliability are of these two kinds, finite and infinite (Musa and Okumoto 1984). Both have one parameter here, so that their
//! likelihoods decide: with equal odds before, `exp(l)` are the odds after, and `l` is divided by the events' dispersion.

use crate::interval::CONFIDENCE;
use crate::trend::{Trend, pearson};

/// Steps of q.
const STEPS: u32 = 50;

/// A curve without a bound, on a clock that is 1 at the end of the span.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Slowing {
    q: f64,
}

impl Slowing {
    /// The curve of cohorts with these lengths and middles, as parts of the span,
    /// if one without a bound explains them, and the exponential one does not.
    pub(crate) fn of(kept: &[f64], lengths: &[f64], middles: &[f64], unit: f64) -> Option<Self> {
        let bounded = Trend::of(kept, lengths, middles, unit)?;
        let masses = |q: f64| {
            let ends = middles.iter().zip(lengths).map(|(middle, length)| {
                let half = length / 2.0;
                (middle - half, middle + half)
            });
            ends.map(move |(start, end)| power(end, q) - power(start, q))
        };
        let likelihood = |q: f64| {
            let cohorts = kept.iter().zip(lengths).zip(masses(q));
            let events = cohorts.map(|((kept, length), mass)| kept * (mass / length).ln());
            events.sum::<f64>() - kept.iter().sum::<f64>() * masses(q).sum::<f64>().ln()
        };
        let steps = (0..=STEPS).map(|step| f64::from(step) / f64::from(STEPS));
        let fits = steps.map(|q| (q, likelihood(q)));
        let (q, best) = fits.max_by(|a, b| a.1.total_cmp(&b.1))?;
        // Of the model that fits better: the other one's is its misfit.
        let dispersion = pearson(kept.iter().copied(), masses(q)).max(unit);
        let odds = ((best - bounded.best()) / dispersion.min(bounded.dispersion())).exp();
        (odds >= CONFIDENCE / (1.0 - CONFIDENCE)).then_some(Self { q })
    }

    /// Of what a straight line at the rate of the span's second half adds in so many more spans: the part that this curve does.
    pub(crate) fn part_of_line(self, spans: f64) -> f64 {
        let second_half = (power(1.0, self.q) - power(0.5, self.q)) / 0.5;
        (power(1.0 + spans, self.q) - power(1.0, self.q)) / (spans * second_half)
    }
}

/// The integral of `x^-q`, but for a constant.
fn power(x: f64, q: f64) -> f64 {
    match 1.0 - q {
        order if order < 1e-9 => x.ln(),
        order => x.powf(order) / order,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slowing(intensity: impl Fn(f64) -> f64) -> Option<Slowing> {
        // Without the first of 16 cohorts, and the last.
        let middles: Vec<f64> = (1..15).map(|at| (f64::from(at) + 0.5) / 16.0).collect();
        let kept: Vec<f64> = middles.iter().map(|at| intensity(*at).round()).collect();
        Slowing::of(&kept, &[1.0 / 16.0; 14], &middles, 1.0)
    }

    #[test]
    fn listeners_of_each_event_have_no_bound() {
        let square_root = slowing(|at| 200.0 / at.sqrt()).expect("no bound");
        assert!((square_root.q - 0.5).abs() < 0.1, "{square_root:?}");
        // Twenty spans have 4.5 times what one has; a line at the rate of the second half would add 11 times of it.
        let part = square_root.part_of_line(19.0);
        assert!((0.28..0.35).contains(&part), "{part}");
        assert!(slowing(|at| 200.0 / at).is_some());
    }

    #[test]
    fn a_cache_that_fills_has_one() {
        for constant in [0.1, 0.2, 0.4, 0.8] {
            let found = slowing(|at| 1e4 * (-at / constant).exp());
            assert_eq!(found, None, "{constant}");
        }
        // Too few to tell.
        assert_eq!(slowing(|at| 2.0 / at.sqrt()), None);
    }
}
