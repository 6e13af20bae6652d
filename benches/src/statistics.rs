//! Medians, quartiles and geometric means of a few measurements.

use serde::Serialize;

/// The median and spread of some values.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Spread {
    /// Smallest value.
    pub min: f64,
    /// First quartile.
    pub low: f64,
    /// The median.
    pub median: f64,
    /// Third quartile.
    pub high: f64,
    /// Largest value.
    pub max: f64,
    /// Number of values.
    pub count: usize,
}

impl Spread {
    /// The spread of `values`; `None` without values. Values that are not finite are ignored.
    pub fn of(values: impl IntoIterator<Item = f64>) -> Option<Spread> {
        let mut sorted: Vec<f64> = values
            .into_iter()
            .filter(|value| value.is_finite())
            .collect();
        sorted.sort_by(f64::total_cmp);
        Some(Spread {
            min: *sorted.first()?,
            low: quantile(&sorted, 0.25)?,
            median: quantile(&sorted, 0.5)?,
            high: quantile(&sorted, 0.75)?,
            max: *sorted.last()?,
            count: sorted.len(),
        })
    }

    /// The distance of the quartiles as a share of the median: how noisy a single measurement is.
    pub fn relative(&self) -> f64 {
        if self.median == 0.0 {
            0.0
        } else {
            (self.high - self.low) / self.median
        }
    }
}

/// The quantile at `share` in sorted values, interpolated between neighbours.
fn quantile(sorted: &[f64], share: f64) -> Option<f64> {
    let last = sorted.len().checked_sub(1)?;
    let place = share * last as f64;
    let below = place.floor() as usize;
    let lower = *sorted.get(below)?;
    let upper = *sorted.get((below + 1).min(last))?;
    Some(lower + (upper - lower) * (place - below as f64))
}

/// The median; `None` without values.
pub fn median(values: impl IntoIterator<Item = f64>) -> Option<f64> {
    Spread::of(values).map(|spread| spread.median)
}

/// The n-th root of the product, the right mean for ratios; `None` without values, or if a value is not positive.
pub fn geometric_mean(values: impl IntoIterator<Item = f64>) -> Option<f64> {
    let values: Vec<f64> = values.into_iter().collect();
    if values.is_empty()
        || values
            .iter()
            .any(|value| *value <= 0.0 || !value.is_finite())
    {
        return None;
    }
    let logarithms: f64 = values.iter().map(|value| value.ln()).sum();
    Some((logarithms / values.len() as f64).exp())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quartiles_lie_between_neighbours() {
        let spread = Spread::of([4.0, 1.0, 3.0, 2.0]).unwrap();
        assert_eq!(
            (
                spread.min,
                spread.low,
                spread.median,
                spread.high,
                spread.max
            ),
            (1.0, 1.75, 2.5, 3.25, 4.0)
        );
        assert_eq!(spread.count, 4);
        assert!((spread.relative() - 0.6).abs() < 1e-12);
    }

    #[test]
    fn one_value_is_its_own_spread() {
        let spread = Spread::of([7.0]).unwrap();
        assert_eq!(
            (
                spread.min,
                spread.low,
                spread.high,
                spread.max,
                spread.relative()
            ),
            (7.0, 7.0, 7.0, 7.0, 0.0)
        );
    }

    #[test]
    fn nothing_has_no_middle() {
        assert_eq!(Spread::of([]), None);
        assert_eq!(Spread::of([f64::NAN]), None);
        assert_eq!(geometric_mean([]), None);
        assert_eq!(geometric_mean([1.0, 0.0]), None);
    }

    #[test]
    fn doubling_and_halving_cancel() {
        assert!((geometric_mean([2.0, 0.5]).unwrap() - 1.0).abs() < 1e-12);
        assert_eq!(median([3.0, 1.0, 2.0]), Some(2.0));
    }
}
