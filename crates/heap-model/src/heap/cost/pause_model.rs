//! The length of pauses as a straight line: a constant for each pause, and a time for each byte of work.
//!
//! The time per byte is the median slope of all pairs of pauses (Theil 1950, Sen 1968): a pause that was long because the machine was busy does not move it.
//! The constant takes the rest, so that the model's pauses sum to the measured ones. The interval of the slope is Sen's, from Kendall's variance, at 95 %.
//! With fewer than [`FEWEST`] pauses, or pauses of equal work, nothing tells the two apart: then the interval reaches from all constant to all work.

/// Pauses that a slope needs.
const FEWEST: usize = 6;
/// Pauses that are taken into account: of longer runs every n-th.
const MOST: usize = 600;
/// 95 % to both sides.
const Z: f64 = 1.96;

/// A value and where it is in 95 of 100 cases.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Estimate {
    /// The best guess.
    pub value: f64,
    /// The least.
    pub low: f64,
    /// The most.
    pub high: f64,
}

impl Estimate {
    /// A value without doubt.
    pub fn exact(value: f64) -> Self {
        Self {
            value,
            low: value,
            high: value,
        }
    }

    /// Wide enough for another value.
    pub(crate) fn reaching(self, value: f64) -> Self {
        Self {
            low: self.low.min(value),
            high: self.high.max(value),
            ..self
        }
    }
}

impl core::ops::Add for Estimate {
    type Output = Self;

    /// The doubts are of one cause or may be: they add up.
    fn add(self, other: Self) -> Self {
        Self {
            value: self.value + other.value,
            low: self.low + other.low,
            high: self.high + other.high,
        }
    }
}

/// One pause.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct PauseSample {
    /// Without the time that the agent took.
    pub(crate) nanos: u64,
    /// Bytes of work.
    pub(crate) work: u64,
}

/// Pauses of one kind.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PauseModel {
    /// How many.
    pub pauses: u64,
    /// Of these: asked for by the program, a tool or the room for classes.
    pub asked: u64,
    /// Their length together, nanoseconds, without the time that the agent took.
    pub nanos: u64,
    /// Bytes copied (evacuations) or alive (full collections) in all of them.
    pub work: u64,
    /// Nanoseconds per byte of work.
    pub per_byte: Estimate,
}

impl PauseModel {
    pub(crate) fn fit(samples: &[PauseSample], asked: u64) -> Self {
        let sum = |value: fn(&PauseSample) -> u64| {
            let values = samples.iter().map(value);
            values.fold(0, u64::saturating_add)
        };
        let (nanos, work) = (sum(|one| one.nanos), sum(|one| one.work));
        // More per byte than this would make the constant negative.
        let most = match work {
            0 => 0.0,
            work => nanos as f64 / work as f64,
        };
        Self {
            pauses: samples.len() as u64,
            asked,
            nanos,
            work,
            per_byte: slope(samples, most),
        }
    }

    /// Nanoseconds of every pause that no work explains, if a byte takes so long.
    fn constant(&self, per_byte: f64) -> f64 {
        let rest = self.nanos as f64 - per_byte * self.work as f64;
        rest.max(0.0) / self.pauses.max(1) as f64
    }

    /// The constant.
    pub fn constant_nanos(&self) -> f64 {
        self.constant(self.per_byte.value)
    }

    /// Nanoseconds that a number of pauses (their constants) and of bytes of work take.
    pub fn time(&self, pauses: f64, work: f64) -> Estimate {
        let of = |per_byte: f64| self.constant(per_byte) * pauses + per_byte * work;
        let Estimate { value, low, high } = self.per_byte;
        Estimate::exact(of(value))
            .reaching(of(low))
            .reaching(of(high))
    }
}

fn slope(samples: &[PauseSample], most: f64) -> Estimate {
    let step = samples.len().div_ceil(MOST).max(1);
    let chosen: Vec<&PauseSample> = samples.iter().step_by(step).collect();
    let mut slopes: Vec<f64> = Vec::new();
    for (at, first) in chosen.iter().enumerate() {
        let later = chosen.get(at + 1..).unwrap_or_default();
        slopes.extend(later.iter().filter_map(|second| between(first, second)));
    }
    slopes.sort_by(f64::total_cmp);
    if chosen.len() < FEWEST || slopes.len() < FEWEST {
        return Estimate {
            value: most / 2.0,
            low: 0.0,
            high: most,
        };
    }
    let spread = {
        let n = chosen.len() as f64;
        Z * (n * (n - 1.0) * (2.0 * n + 5.0) / 18.0).sqrt() / 2.0
    };
    let middle = slopes.len() as f64 / 2.0;
    let at = |place: f64| {
        let place = (place.max(0.0) as usize).min(slopes.len() - 1);
        slopes.get(place).copied().unwrap_or(0.0).clamp(0.0, most)
    };
    Estimate {
        value: at(middle),
        low: at(middle - spread),
        high: at(middle + spread),
    }
}

fn between(first: &PauseSample, second: &PauseSample) -> Option<f64> {
    let work = second.work as f64 - first.work as f64;
    (work != 0.0).then(|| (second.nanos as f64 - first.nanos as f64) / work)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn noise(at: u64) -> u64 {
        let mixed = (at ^ at >> 7).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        (mixed ^ mixed >> 31).wrapping_mul(0x94D0_49BB_1331_11EB) >> 50
    }

    #[test]
    fn a_line_is_found_under_noise_and_with_a_few_pauses_that_were_disturbed() {
        let samples: Vec<PauseSample> = (0..100_u64)
            .map(|at| {
                let work = 100_000 + noise(at) * 40;
                let late = if at % 20 == 7 { 50_000_000 } else { 0 };
                PauseSample {
                    nanos: 300_000 + 2 * work + noise(at + 1_000) + late,
                    work,
                }
            })
            .collect();
        let model = PauseModel::fit(&samples, 0);
        let Estimate { value, low, high } = model.per_byte;
        assert!(low <= 2.0 && 2.0 <= high && high - low < 0.2, "{model:?}");
        assert!((value - 2.0).abs() < 0.05, "{model:?}");
        let all = model.time(100.0, model.work as f64);
        assert!((all.value - model.nanos as f64).abs() < 1.0);
        assert!(all.high - all.low < 1.0, "the sum is no estimate");
    }

    #[test]
    fn few_pauses_leave_open_what_the_time_went_into() {
        let one = PauseSample {
            nanos: 1_000,
            work: 500,
        };
        let model = PauseModel::fit(&[one; 3], 1);
        assert_eq!((model.per_byte.low, model.per_byte.high), (0.0, 2.0));
        let half = model.time(0.0, 750.0);
        assert_eq!((half.low, half.value, half.high), (0.0, 750.0, 1_500.0));
        let nothing = PauseModel::fit(&[], 0);
        assert_eq!(nothing.time(0.0, 0.0), Estimate::exact(0.0));
    }

    #[test]
    fn pauses_without_work_are_all_constant() {
        let samples = [PauseSample {
            nanos: 700,
            work: 0,
        }; 9];
        let model = PauseModel::fit(&samples, 0);
        assert_eq!(model.time(2.0, 0.0), Estimate::exact(1_400.0));
    }

    proptest::proptest! {
        #[test]
        fn any_pauses_sum_to_themselves(pauses in proptest::collection::vec((0_u64..1 << 40, 0_u64..1 << 40), 0..40)) {
            let samples: Vec<PauseSample> = pauses.iter().map(|(nanos, work)| PauseSample { nanos: *nanos, work: *work }).collect();
            let model = PauseModel::fit(&samples, 0);
            let all = model.time(model.pauses as f64, model.work as f64);
            let sum = model.nanos as f64;
            proptest::prop_assert!((all.value - sum).abs() <= 1e-6 * sum.max(1.0));
            proptest::prop_assert!(all.low <= all.value && all.value <= all.high);
        }
    }
}
