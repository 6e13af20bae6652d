//! How likely it is that objects leak, and that it matters: one number from four, so that a person can disagree with each.

/// Objects that retain this share of the heap, or more, have the full part for it.
const LARGE_SHARE: f64 = 0.1;
/// The part of staleness of objects that are all used: they keep their rank, but raise no alarm.
const STALENESS_OF_USED: f64 = 0.05;
/// The part of staleness in the score if staleness is unknown.
const STALENESS_NOT_KNOWN: f64 = 0.5;

/// The parts of a score, each from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LeakScore {
    /// How evenly the objects were born over the run, or the confidence in their growth.
    pub growth: f64,
    /// The share of them that has not been used for long, at least 0.05; `None`: not recorded.
    pub staleness: Option<f64>,
    /// Over which share of the run's collections their ages are spread.
    pub age: f64,
    /// What they retain, as a share of a tenth of the heap.
    pub retained: f64,
}

impl LeakScore {
    /// From this score on a candidate is an alarm.
    pub const ALARM: f64 = 50.0;
    /// How a score is reached, as one paragraph for reports.
    pub const METHOD: &'static str = "Score: 100 times the geometric mean of four parts, each from 0 to 1. Growth: the share of the run after its first fifth (in ten windows) in which \
        objects were born that are still there; without a heap dump the confidence that their number rises. Staleness: the share of them not used for at least 4 collections (at least 0.05, so that used ones keep an order without \
        an alarm; 0.5 where it is not recorded). Age: the share of the run's collections over which their ages are spread. Retained: what they retain, as a share of a tenth of the heap. From 50 on it is an alarm.";

    /// The parts from their figures. `spread`: collections between the oldest and the youngest, of `collections`.
    pub fn new(
        growth: f64,
        (spread, collections): (u32, u32),
        (retained, heap): (u64, u64),
    ) -> Self {
        let share = retained as f64 / heap.max(1) as f64;
        Self {
            growth: growth.clamp(0.0, 1.0),
            staleness: None,
            age: (f64::from(spread) / f64::from(collections.max(1))).clamp(0.0, 1.0),
            retained: (share / LARGE_SHARE).clamp(0.0, 1.0),
        }
    }

    /// The same with the share of objects that have not been used for long; `None`: not recorded.
    #[must_use]
    pub fn with_staleness(self, stale_share: Option<f64>) -> Self {
        Self {
            staleness: stale_share.map(|share| share.clamp(STALENESS_OF_USED, 1.0)),
            ..self
        }
    }

    /// From 0 to 100.
    pub fn total(&self) -> f64 {
        let staleness = self.staleness.unwrap_or(STALENESS_NOT_KNOWN);
        let product = self.growth * staleness * self.age * self.retained;
        100.0 * product.powf(0.25)
    }

    /// The score is one to look at.
    pub fn is_alarm(&self) -> bool {
        self.total() >= Self::ALARM
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_part_counts() {
        let leak = LeakScore::new(1.0, (100, 100), (50, 100));
        assert!((leak.total() - 84.09).abs() < 0.01, "{}", leak.total());
        assert!(leak.is_alarm());
        let stale = leak.with_staleness(Some(1.0));
        assert!((stale.total() - 100.0).abs() < 1e-9);
        let used = leak.with_staleness(Some(0.0));
        assert!(!used.is_alarm(), "{}", used.total());
        assert!(used.total() > 0.0);
        assert_eq!(leak.with_staleness(None), leak);
        let small = LeakScore::new(1.0, (100, 100), (1, 1000));
        let young = LeakScore::new(1.0, (2, 100), (50, 100));
        for score in [small, young, LeakScore::new(0.0, (100, 100), (50, 100))] {
            assert!(!score.is_alarm(), "{score:?}");
        }
        assert_eq!(LeakScore::new(7.0, (9, 0), (9, 0)).growth, 1.0);
    }
}
