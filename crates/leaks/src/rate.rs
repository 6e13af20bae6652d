//! How much is kept per byte of the clock.

use crate::interval::{Interval, student, student_limit};

/// A mean over cohorts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Rate {
    /// Per byte of the clock.
    pub(crate) rate: Interval,
    /// The probability that it is above zero.
    pub(crate) sure: f64,
}

impl Rate {
    /// The ratio estimator with Student's interval: cohorts, not objects, are what is sampled, so
    /// objects that come in batches do not make it narrow. `unit` is the variance of one event
    /// where events are independent (Poisson): the interval is never narrower than that allows.
    pub(crate) fn of(kept: &[f64], lengths: &[f64], unit: f64) -> Option<Self> {
        let count = u32::try_from(kept.len().min(lengths.len())).ok()?;
        let n = f64::from(count);
        let length: f64 = lengths.iter().sum();
        if n < 2.0 || length <= 0.0 {
            return None;
        }
        let sum: f64 = kept.iter().sum();
        let rate = sum / length;
        let square = |(kept, length): (&f64, &f64)| (kept - rate * length).powi(2);
        let squares: f64 = kept.iter().zip(lengths).map(square).sum();
        let spread = (n / (n - 1.0) * squares).max(unit * sum);
        let error = spread.sqrt() / length;
        let reach = student_limit(count - 1) * error;
        let sure = match (rate > 0.0, error > 0.0) {
            (true, true) => student(rate / error, count - 1),
            (true, false) => 1.0,
            (false, _) => 0.5,
        };
        Some(Self {
            rate: Interval {
                value: rate,
                low: rate - reach,
                high: rate + reach,
            },
            sure,
        })
    }

    pub(crate) fn is_positive(&self) -> bool {
        self.rate.low > 0.0 && self.rate.value > 0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_positive(kept: &[f64], unit: f64) -> bool {
        Rate::of(kept, &vec![1.0; kept.len()], unit).is_some_and(|rate| rate.is_positive())
    }

    #[test]
    fn one_step_is_no_slope() {
        let mut step = [0.0; 14];
        step[9] = 158.0;
        assert!(!is_positive(&step, 1.0));
        step[3] = 158.0;
        assert!(!is_positive(&step, 1.0));
        assert!(is_positive(&[5.0, 7.0, 6.0, 4.0, 6.0, 5.0], 1.0));
        assert!(!is_positive(&[1.0, 1.0], 1.0));
    }

    #[test]
    fn twelve_objects_can_be_a_slope() {
        let kept = [1., 1., 0., 1., 1., 1., 0., 1., 1., 1., 1., 0., 1., 1.];
        assert!(is_positive(&kept, 1.0));
    }
}
