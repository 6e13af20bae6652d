//! Intervals of estimates.

/// How often an interval holds the truth: the convention of the field. A verdict
/// that depends on one interval is wrong at most once in twenty times by chance.
pub const CONFIDENCE: f64 = 0.95;

/// What a normal variable exceeds in neither direction with [`CONFIDENCE`].
const NORMAL: f64 = 1.959_964;

/// An estimate with the interval in which the truth lies with [`CONFIDENCE`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Interval {
    /// The estimate.
    pub value: f64,
    /// The truth is at least this.
    pub low: f64,
    /// The truth is at most this.
    pub high: f64,
}

impl Interval {
    /// The share of successes (Wilson 1927).
    pub fn of_share(successes: u64, trials: u64) -> Self {
        if trials == 0 {
            return Self {
                value: 0.0,
                low: 0.0,
                high: 1.0,
            };
        }
        let all = trials as f64;
        let share = (successes as f64 / all).min(1.0);
        let square = NORMAL * NORMAL;
        let middle = share + square / (2.0 * all);
        let reach = NORMAL * (share * (1.0 - share) / all + square / (4.0 * all * all)).sqrt();
        let scale = 1.0 + square / all;
        Self {
            value: share,
            low: ((middle - reach) / scale).max(0.0),
            high: ((middle + reach) / scale).min(1.0),
        }
    }

    /// All of it times this.
    pub fn times(self, factor: f64) -> Self {
        Self {
            value: self.value * factor,
            low: self.low * factor,
            high: self.high * factor,
        }
    }
}

/// P(T <= t) of Student's distribution, for whole degrees of freedom (Abramowitz and Stegun, 26.7.3 and 26.7.4).
pub(crate) fn student(t: f64, freedom: u32) -> f64 {
    if t.is_nan() || freedom == 0 {
        return 0.5;
    }
    let angle = (t / f64::from(freedom).sqrt()).atan();
    let (sine, cosine) = angle.sin_cos();
    let is_odd = freedom % 2 == 1;
    // Each term is the one before times cos^2 and a ratio of neighbours.
    let mut term = if is_odd { cosine } else { 1.0 };
    let (mut sum, mut at) = (0.0, if is_odd { 3 } else { 2 });
    while at <= freedom {
        sum += term;
        term *= cosine * cosine * f64::from(at - 1) / f64::from(at);
        at += 2;
    }
    let inner = match is_odd {
        true => 2.0 / core::f64::consts::PI * (angle + sine * sum),
        false => sine * sum,
    };
    (0.5 + inner / 2.0).clamp(0.0, 1.0)
}

/// The t that is exceeded in neither direction with [`CONFIDENCE`].
pub fn student_limit(freedom: u32) -> f64 {
    let (mut low, mut high) = (0.0, 1e6);
    let wanted = 0.5 + CONFIDENCE / 2.0;
    for _ in 0..100 {
        let middle = (low + high) / 2.0;
        match student(middle, freedom) < wanted {
            true => low = middle,
            false => high = middle,
        }
    }
    high
}

impl core::ops::Add for Interval {
    type Output = Self;

    /// Of sums whose parts may all be off in the same direction.
    fn add(self, other: Self) -> Self {
        Self {
            value: self.value + other.value,
            low: self.low + other.low,
            high: self.high + other.high,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values of printed tables.
    #[test]
    fn students_distribution() {
        for (freedom, limit) in [
            (1, 12.706),
            (2, 4.303),
            (3, 3.182),
            (7, 2.365),
            (14, 2.145),
            (15, 2.131),
            (60, 2.000),
        ] {
            let found = student_limit(freedom);
            assert!((found - limit).abs() < 1e-3, "{freedom}: {found}");
        }
        assert!((student(0.0, 5) - 0.5).abs() < 1e-9);
        assert!((student(-2.015, 5) - 0.05).abs() < 1e-4);
        assert!((student(f64::INFINITY, 4) - 1.0).abs() < 1e-9);
    }

    #[test]
    fn shares() {
        let share = Interval::of_share(12, 12);
        assert!((share.low - 0.7575).abs() < 1e-3 && share.high >= 1.0);
        let share = Interval::of_share(5, 10);
        assert!((share.low - 0.2366).abs() < 1e-3 && (share.high - 0.7634).abs() < 1e-3);
        assert_eq!(Interval::of_share(0, 0).high, 1.0);
        let share = Interval::of_share(1_000_000, 100_000_000);
        assert!(share.low > 0.0099 && share.high < 0.0101, "{share:?}");
    }
}
