//! Intervals of shares and of sums of shares.

/// Standard deviations to each side. Wilson's interval at 1.96 covers the truth in 95 of 100 cases on average, but in fewer if samples are
/// few: a stratum in which a frame was not sampled contributes nothing here, although the frame may occur in it. At 2.3, it is 95 of 100
/// with ten samples per stratum (`tests/profile`).
pub(crate) const Z: f64 = 2.3;

/// An interval, with both ends included.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Interval {
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

impl Interval {
    /// An exact value.
    pub fn exact(value: f64) -> Self {
        Self {
            low: value,
            high: value,
        }
    }

    /// Whether the value is inside the interval.
    pub fn contains(&self, value: f64) -> bool {
        self.low <= value && value <= self.high
    }
}

/// The sum of samples' weights, and the sum of their squares.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct WeightSums {
    pub(crate) sum: f64,
    pub(crate) squares: f64,
}

impl WeightSums {
    /// The number of samples of equal weight with the same precision (Kish).
    fn effective(self) -> f64 {
        match self.squares > 0.0 {
            true => self.sum * self.sum / self.squares,
            false => 0.0,
        }
    }
}

/// Wilson's interval of a share.
fn wilson(share: f64, samples: f64) -> Interval {
    let z2 = Z * Z;
    let scale = samples + z2;
    let center = (share * samples + z2 / 2.0) / scale;
    let spread = Z * (share * (1.0 - share) * samples + z2 / 4.0).max(0.0).sqrt() / scale;
    Interval {
        low: (center - spread).clamp(0.0, share),
        high: (center + spread).clamp(share, 1.0),
    }
}

/// A part of one layer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part {
    /// The total of the layer.
    pub(crate) total: f64,
    /// The share of the layer's samples that belong to this part.
    pub(crate) share: f64,
    /// All samples of the layer.
    pub(crate) all: WeightSums,
}

/// The interval of a sum, estimated as `value`, of parts of different layers.
/// Errors that the sampler may have made widen it by `spread` on both sides.
pub(crate) fn sum_interval(
    value: f64,
    parts: impl IntoIterator<Item = Part>,
    [less, more]: [f64; 2],
) -> Interval {
    let (mut below, mut above, mut most) = (0.0, 0.0, 0.0_f64);
    for part in parts {
        let share = part.share;
        let of_share = wilson(share, part.all.effective());
        most += part.total;
        below += (part.total * (share - of_share.low)).powi(2);
        above += (part.total * (of_share.high - share)).powi(2);
    }
    Interval {
        low: (value - below.sqrt() - less).max(0.0),
        high: (value + above.sqrt() + more).min(most.max(value)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wilson_as_in_the_books() {
        // Newcombe 1998, table I: 81 of 263 is 0.2553 to 0.3662 at z = 1.96; here z is 2.3.
        let interval = wilson(81.0 / 263.0, 263.0);
        assert!((interval.low - 0.2468).abs() < 0.0005, "{interval:?}");
        assert!((interval.high - 0.3767).abs() < 0.0005, "{interval:?}");
        let none = wilson(0.0, 20.0);
        assert!(none.low == 0.0 && none.high > 0.19 && none.high < 0.23);
    }

    #[test]
    fn a_stratum_of_which_all_samples_are_inside_has_its_total_as_the_most() {
        let all = WeightSums {
            sum: 30.0,
            squares: 30.0,
        };
        let part = Part {
            total: 1000.0,
            share: 1.0,
            all,
        };
        let interval = sum_interval(2000.0, [part, part], [0.0; 2]);
        assert_eq!(interval.high, 2000.0);
        assert!(
            interval.low > 1750.0 && interval.low < 1900.0,
            "{interval:?}"
        );
    }
}
