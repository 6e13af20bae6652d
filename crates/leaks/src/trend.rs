//! Does what is kept become more or less along the clock?
//!
//! The events of a Poisson process with the intensity `exp(a + b x)` on the clock `x` (Cox and Lewis 1966). `b = 0` is
//! the straight line of a leak; `b = -1/T` is a curve that saturates with the time constant T, `A (1 - exp(-x/T))`.
//! The level `a` is eliminated by conditioning on the number of events, so that the likelihood is one of `b` alone:
//!
//! ```text
//! l(b) = b * sum(s x) - S * log(sum(w exp(b x)))        s: events of a cohort, w: its exposure, S: all events
//! ```
//!
//! Events come in batches, so the likelihood is divided by their dispersion (Pearson's chi-squared per degree of freedom; Wedderburn 1974).

use crate::interval::student;

/// A time constant of one judged span. A curve that saturates faster has shown 63 % of its level within the
/// span, and is said to bend; of one that does not, the span shows too little to tell it from a straight line.
pub const BEND: f64 = 1.0;

/// Beyond this the curve is a step.
const STEEPEST: f64 = 60.0;

/// The fit of one series.
#[derive(Clone, Debug)]
pub(crate) struct Trend {
    events: Vec<(f64, f64, f64)>,
    sum: f64,
    /// The most likely `b`, per judged span.
    pub(crate) slope: f64,
    dispersion: f64,
    freedom: u32,
}

impl Trend {
    /// `positions` are the middles of the cohorts, from 0 to 1 over the judged
    /// span. `unit` is the least dispersion. `None`: there are too few.
    pub(crate) fn of(
        kept: &[f64],
        exposures: &[f64],
        positions: &[f64],
        unit: f64,
    ) -> Option<Self> {
        let triples = kept.iter().zip(exposures).zip(positions);
        let events: Vec<(f64, f64, f64)> = triples
            .filter(|((_, exposure), _)| **exposure > 0.0)
            .map(|((kept, exposure), position)| (*kept, *exposure, *position))
            .collect();
        let sum: f64 = events.iter().map(|event| event.0).sum();
        if events.len() < 3 || sum <= 0.0 {
            return None;
        }
        let mut trend = Self {
            freedom: u32::try_from(events.len() - 2).ok()?,
            events,
            sum,
            slope: 0.0,
            dispersion: unit,
        };
        trend.slope = trend.most_likely();
        trend.dispersion = trend.pearson().max(unit);
        Some(trend)
    }

    /// The likelihood of the best fit, up to what no slope changes.
    pub(crate) fn best(&self) -> f64 {
        self.likelihood(self.slope)
    }

    /// All events.
    pub(crate) fn events(&self) -> f64 {
        self.sum
    }

    /// Variance of the events by their mean, at least that of independent ones.
    pub(crate) fn dispersion(&self) -> f64 {
        self.dispersion
    }

    fn weights(&self, slope: f64) -> impl Iterator<Item = f64> + Clone {
        // From the largest, so that nothing overflows.
        let most = slope.max(0.0);
        self.events
            .iter()
            .map(move |(_, exposure, at)| exposure * (slope * at - most).exp())
    }

    fn likelihood(&self, slope: f64) -> f64 {
        let events = self.events.iter().map(|(kept, _, at)| kept * slope * at);
        let weights: f64 = self.weights(slope).sum();
        events.sum::<f64>() - self.sum * (weights.ln() + slope.max(0.0))
    }

    /// Where the events' mean position is the expected one; it rises with the slope.
    fn most_likely(&self) -> f64 {
        let mean = self.events.iter().map(|(kept, _, at)| kept * at);
        let mean = mean.sum::<f64>() / self.sum;
        let expected = |slope: f64| {
            let positions = self.events.iter().map(|event| event.2);
            let moments = positions.zip(self.weights(slope));
            let (moment, weight) = moments.fold((0.0, 0.0), |(moment, sum), (at, weight)| {
                (moment + at * weight, sum + weight)
            });
            moment / weight
        };
        let (mut low, mut high) = (-STEEPEST, STEEPEST);
        for _ in 0..60 {
            let middle = (low + high) / 2.0;
            match expected(middle) < mean {
                true => low = middle,
                false => high = middle,
            }
        }
        (low + high) / 2.0
    }

    fn pearson(&self) -> f64 {
        let events = self.events.iter().map(|event| event.0);
        pearson(events, self.weights(self.slope))
    }

    /// The probability, given these events, that the slope is below this: by the signed root of the likelihood ratio.
    pub(crate) fn probability_below(&self, limit: f64) -> f64 {
        let ratio = self.likelihood(self.slope) - self.likelihood(limit);
        let root = (2.0 * ratio.max(0.0) / self.dispersion).sqrt();
        let signed = if self.slope < limit { root } else { -root };
        student(signed, self.freedom)
    }
}

/// Pearson's chi-squared per degree of freedom, of a model with one parameter that expects events in proportion to `weights`.
pub(crate) fn pearson(
    events: impl Iterator<Item = f64> + Clone,
    weights: impl Iterator<Item = f64> + Clone,
) -> f64 {
    let (sum, all): (f64, f64) = (events.clone().sum(), weights.clone().sum());
    let count = events.clone().count();
    // At least half an event: what is not expected at all must not weigh without a bound.
    let least = sum / count.max(1) as f64 / 64.0;
    let terms = events.zip(weights).map(|(event, weight)| {
        let expected = (sum * weight / all).max(least);
        (event - expected).powi(2) / expected
    });
    terms.sum::<f64>() / count.saturating_sub(2).max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trend(kept: impl Fn(f64) -> f64) -> Trend {
        let positions: Vec<f64> = (0..16).map(|at| (f64::from(at) + 0.5) / 16.0).collect();
        let kept: Vec<f64> = positions.iter().map(|at| kept(*at).round()).collect();
        Trend::of(&kept, &[1.0; 16], &positions, 1.0).unwrap()
    }

    #[test]
    fn a_line_is_straight() {
        let line = trend(|_| 100.0);
        assert!(line.slope.abs() < 1e-6);
        assert!((line.probability_below(0.0) - 0.5).abs() < 1e-6);
        assert!(line.probability_below(-BEND) < 0.001);
        assert!(line.probability_below(BEND) > 0.999);
    }

    #[test]
    fn a_curve_bends() {
        for constant in [0.1, 0.2, 0.4] {
            let curve = trend(|at| 1e5 * (-at / constant).exp());
            assert!(
                (curve.slope + 1.0 / constant).abs() < 0.2,
                "{constant}: {}",
                curve.slope
            );
            assert!(curve.probability_below(-BEND) > 0.99);
        }
        assert!(trend(|at| 1e5 * (-at / 5.0).exp()).probability_below(-BEND) < 0.01);
        let window = trend(|at| if at > 0.6 { 100.0 } else { 0.0 });
        assert!(window.probability_below(BEND) < 0.05, "{window:?}");
    }

    #[test]
    fn too_little_says_nothing() {
        assert!(Trend::of(&[0.0; 8], &[1.0; 8], &[0.5; 8], 1.0).is_none());
        assert!(Trend::of(&[1.0; 2], &[1.0; 2], &[0.2, 0.8], 1.0).is_none());
        let few = trend(|at| f64::from(at < 0.1));
        assert!(few.probability_below(-BEND) < 0.99, "two objects");
    }
}
