//! A straight line through samples, and how sure its slope is.

use ducktrack_leaks::student_limit;

/// The growth of a figure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Trend {
    /// Bytes per second.
    pub slope: f64,
    /// The slope is in this interval in 95 of 100 cases, if what happens is a straight line with noise.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
}

impl Trend {
    /// The growth of the sum of two figures whose noise is not of the same cause.
    pub(crate) fn with(self, other: Self) -> Self {
        let slope = self.slope + other.slope;
        let half = ((self.high - self.slope).powi(2) + (other.high - other.slope).powi(2)).sqrt();
        Self {
            slope,
            low: slope - half,
            high: slope + half,
        }
    }

    /// True if the figure surely grows.
    pub fn grows(&self) -> bool {
        self.low > 0.0
    }
}

/// From so many degrees of freedom on the quantile is that of a normal variable, to three digits.
const NORMAL_FROM: u32 = 10_000;
/// Fewer points tell nothing.
const FEWEST: usize = 4;

/// The line through points of seconds and bytes; `None`: there are too few.
pub fn trend(points: &[(f64, f64)]) -> Option<Trend> {
    if points.len() < FEWEST {
        return None;
    }
    let count = points.len() as f64;
    let mean = |value: fn(&(f64, f64)) -> f64| points.iter().map(value).sum::<f64>() / count;
    let (time, bytes) = (mean(|point| point.0), mean(|point| point.1));
    let spread: f64 = points.iter().map(|point| (point.0 - time).powi(2)).sum();
    if spread == 0.0 {
        return None;
    }
    let common: f64 = points
        .iter()
        .map(|point| (point.0 - time) * (point.1 - bytes))
        .sum();
    let slope = common / spread;
    let rest: f64 = points
        .iter()
        .map(|point| (point.1 - bytes - slope * (point.0 - time)).powi(2))
        .sum();
    let error = (rest / (count - 2.0) / spread).sqrt();
    let freedom = u32::try_from(points.len() - 2).unwrap_or(u32::MAX);
    let student = student_limit(freedom.min(NORMAL_FROM));
    Some(Trend {
        slope,
        low: slope - student * error,
        high: slope + student * error,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_found_with_its_interval() {
        let line: Vec<(f64, f64)> = (0..10)
            .map(|at| (f64::from(at), 100.0 + 5.0 * f64::from(at)))
            .collect();
        let found = trend(&line).expect("a trend");
        assert!((found.slope - 5.0).abs() < 1e-9 && found.grows());
        let flat: Vec<(f64, f64)> = (0..10)
            .map(|at| (f64::from(at), f64::from(at % 2)))
            .collect();
        assert!(!trend(&flat).expect("a trend").grows());
        assert_eq!(trend(&line[..3]), None);
    }
}
