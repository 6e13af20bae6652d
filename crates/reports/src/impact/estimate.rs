//! Means and their differences with 95 % confidence intervals (Welch's t: the sets may differ in spread and in size).

use ducktrack_leaks::student_limit;

/// From so many degrees of freedom on the quantile is that of a normal variable, to three digits.
const NORMAL_FROM: f64 = 10_000.0;

/// A value with an interval that holds the true one in 95 of 100 cases.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Estimate {
    pub(super) value: f64,
    /// `None`: one trial has no spread.
    pub(super) interval: Option<(f64, f64)>,
}

impl Estimate {
    /// The mean of a set.
    pub(super) fn mean(values: &[f64]) -> Self {
        let sample = Sample::of(values);
        let freedom = sample.count - 1.0;
        Self::around(sample.mean, sample.error(), freedom)
    }

    /// How much larger the mean of one set is than that of another.
    pub(super) fn difference(larger: &[f64], smaller: &[f64]) -> Self {
        let (a, b) = (Sample::of(larger), Sample::of(smaller));
        let (error_a, error_b) = (a.error().powi(2), b.error().powi(2));
        let error = error_a + error_b;
        // Welch and Satterthwaite.
        let freedom = match error {
            0.0 => a.count + b.count - 2.0,
            error => {
                error.powi(2)
                    / (error_a.powi(2) / (a.count - 1.0) + error_b.powi(2) / (b.count - 1.0))
            }
        };
        let is_known = a.count >= 2.0 && b.count >= 2.0;
        Self::around(
            a.mean - b.mean,
            error.sqrt(),
            if is_known { freedom } else { 0.0 },
        )
    }

    /// The same as a part of a whole.
    pub(super) fn part_of(&self, whole: f64) -> Self {
        let of = |value: f64| if whole == 0.0 { 0.0 } else { value / whole };
        Self {
            value: of(self.value),
            interval: self.interval.map(|(low, high)| (of(low), of(high))),
        }
    }

    /// The value lies between these bounds, or less far from them than it may be off.
    pub(super) fn may_be_in(&self, bounds: ducktrack_analyses::Estimate) -> bool {
        let (low, high) = self.interval.unwrap_or((self.value, self.value));
        low <= bounds.high && bounds.low <= high
    }

    fn around(value: f64, error: f64, freedom: f64) -> Self {
        let interval = quantile(freedom).map(|t| (value - t * error, value + t * error));
        Self { value, interval }
    }

    /// The interval goes up to a bound, or is not known.
    pub(super) fn reaches(&self, bound: f64) -> bool {
        self.interval.is_none_or(|(_, high)| high >= bound)
    }

    /// The interval does not hold 0.
    pub(super) fn is_significant(&self) -> bool {
        let apart = |(low, high): (f64, f64)| low > 0.0 || high < 0.0;
        self.interval.is_some_and(apart)
    }
}

/// The quantile for this many degrees of freedom, rounded down: the interval is rather too wide. `None`: fewer than one.
fn quantile(freedom: f64) -> Option<f64> {
    let whole = freedom.min(NORMAL_FROM) as u32;
    (freedom >= 1.0).then(|| student_limit(whole))
}

struct Sample {
    count: f64,
    mean: f64,
    variance: f64,
}

impl Sample {
    fn of(values: &[f64]) -> Self {
        let count = values.len() as f64;
        let mean = values.iter().sum::<f64>() / count.max(1.0);
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        Self {
            count,
            mean,
            variance: squares / (count - 1.0).max(1.0),
        }
    }

    /// The standard error of the mean.
    fn error(&self) -> f64 {
        (self.variance / self.count.max(1.0)).sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `scipy.stats.ttest_ind(a, b, equal_var=False)`: difference 2.15, 9.87 degrees of freedom; here those of 9.
    #[test]
    fn a_difference_as_welch_has_it() {
        let a = [19.1, 20.2, 18.7, 21.0, 19.9, 20.4];
        let b = [17.2, 18.4, 17.9, 18.8, 16.9, 17.2];
        let found = Estimate::difference(&a, &b);
        assert!((found.value - 2.15).abs() < 1e-9, "{found:?}");
        let (low, high) = found.interval.expect("an interval");
        assert!(
            (low - 1.0970).abs() < 1e-3 && (high - 3.2030).abs() < 1e-3,
            "{found:?}"
        );
        assert!(found.is_significant());
        assert!(!Estimate::difference(&a, &a).is_significant());
    }

    #[test]
    fn a_mean_with_its_interval() {
        let found = Estimate::mean(&[1.0, 2.0, 3.0]);
        let (low, high) = found.interval.expect("an interval");
        assert!((low - (2.0 - 4.303 / 3.0_f64.sqrt())).abs() < 1e-3, "{low}");
        assert!((low + high - 4.0).abs() < 1e-9);
    }

    #[test]
    fn one_trial_tells_no_interval() {
        assert_eq!(Estimate::mean(&[5.0]).interval, None);
        assert_eq!(Estimate::difference(&[5.0], &[1.0, 2.0]).interval, None);
        assert!(!Estimate::difference(&[5.0], &[1.0]).is_significant());
        assert_eq!(
            Estimate::difference(&[5.0, 5.0], &[1.0, 1.0]).interval,
            Some((4.0, 4.0))
        );
    }

    #[test]
    fn intervals_become_narrower() {
        assert_eq!(quantile(0.5), None);
        assert_eq!(quantile(f64::NAN), None);
        for (freedom, printed) in [(1.9, 12.706), (29.9, 2.045), (45.0, 2.014), (1e9, 1.960)] {
            let found = quantile(freedom).expect("a quantile");
            assert!((found - printed).abs() < 1e-3, "{freedom}: {found}");
        }
    }
}
