//! The length of pauses as a straight line: a constant for each pause, and a time for each byte of work.
//!
//! The time per byte is estimated from three things:
//!
//! - The *median slope* of all pairs of pauses (Theil 1950, Sen 1968): single
//!   long pauses do not move it. Its error is Sen's, from Kendall's variance.
//! - *Neighbours*: pauses next to each other are disturbed together when the machine is busy for a while, so they are worth less than as
//!   many independent ones. Sen's error grows by `sqrt((1 + r) / (1 - r))`, where `r` is the correlation of a residual with the next.
//! - What is *expected* without any pause: work takes a share of the time between nothing and
//!   everything. A slope outside of that shows a disturbance at least as large as its distance, so
//!   the distance counts as an error too. Slope and expectation are weighted by their precision.
//!
//! So the interval of the time per byte is never empty, however few or disturbed the pauses are.
//! The constant takes the rest: the model's pauses sum to the measured ones. With fewer than
//! [`FEWEST`] pauses, or pauses of equal work, the interval reaches from all constant to all work.
//!
//! How far single pauses are off the line adds to the interval of a part of the pauses.

/// Pauses that a slope needs.
const FEWEST: usize = 6;
/// Pauses that are taken into account: of longer runs every n-th.
const MOST: usize = 600;
/// 95 % to both sides.
const Z: f64 = 1.96;
/// Neighbours are never taken to be more alike than this.
const MOST_ALIKE: f64 = 0.9;
/// The standard deviation of a normal distribution by its median distance from the median.
const DEVIATION: f64 = 1.4826;

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

    /// Without this much of it.
    pub(crate) fn less(self, part: f64) -> Self {
        let of = |value: f64| (value - part).max(0.0);
        Self {
            value: of(self.value),
            low: of(self.low),
            high: of(self.high),
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
    /// Nanoseconds that single pauses are off the line: a standard deviation.
    pub scatter: f64,
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
        let per_byte = slope(samples, most);
        let distances = residuals(samples, per_byte.value);
        Self {
            pauses: samples.len() as u64,
            asked,
            nanos,
            work,
            per_byte,
            scatter: DEVIATION * median(distances.into_iter().map(f64::abs).collect()),
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
        let line = Estimate::exact(of(value))
            .reaching(of(low))
            .reaching(of(high));
        let scatter = Z * self.scatter_of(pauses);
        Estimate {
            value: line.value,
            low: (line.low - scatter).max(0.0),
            high: line.high + scatter,
        }
    }

    /// How far some of the pauses together are off the line. All together are not.
    fn scatter_of(&self, pauses: f64) -> f64 {
        let others = 1.0 - pauses / self.pauses.max(1) as f64;
        self.scatter * (pauses * others).max(0.0).sqrt()
    }
}

/// The time per byte; at most `most`.
fn slope(samples: &[PauseSample], most: f64) -> Estimate {
    // Without pauses: half of the time, give or take the other half.
    let expected = Normal {
        mean: most / 2.0,
        deviation: most / 2.0 / Z,
    };
    let found = median_slope(samples).map_or(expected, |found| {
        let mean = found.mean.clamp(0.0, most);
        let disturbance = found.mean - mean;
        let measured = Normal {
            mean,
            deviation: found.deviation.hypot(disturbance),
        };
        measured.combined(expected)
    });
    let within = |value: f64| value.clamp(0.0, most);
    Estimate {
        value: within(found.mean),
        low: within(found.mean - Z * found.deviation),
        high: within(found.mean + Z * found.deviation),
    }
}

/// A value with a normal error.
#[derive(Clone, Copy, Debug)]
struct Normal {
    mean: f64,
    deviation: f64,
}

impl Normal {
    /// The mean of both, each weighted by its precision.
    fn combined(self, other: Self) -> Self {
        let (own, others) = (self.deviation.powi(2), other.deviation.powi(2));
        let sum = own + others;
        if sum <= 0.0 {
            return self;
        }
        Self {
            mean: (self.mean * others + other.mean * own) / sum,
            deviation: (own * others / sum).sqrt(),
        }
    }
}

/// Sen's slope with its error. `None`: too few pauses, or all have the same work.
fn median_slope(samples: &[PauseSample]) -> Option<Normal> {
    let step = samples.len().div_ceil(MOST).max(1);
    let chosen: Vec<&PauseSample> = samples.iter().step_by(step).collect();
    let mut slopes: Vec<f64> = Vec::new();
    for (at, first) in chosen.iter().enumerate() {
        let later = chosen.get(at + 1..).unwrap_or_default();
        slopes.extend(later.iter().filter_map(|second| between(first, second)));
    }
    if chosen.len() < FEWEST || slopes.len() < FEWEST {
        return None;
    }
    slopes.sort_by(f64::total_cmp);
    let n = chosen.len() as f64;
    let spread = Z * (n * (n - 1.0) * (2.0 * n + 5.0) / 18.0).sqrt() / 2.0;
    let middle = slopes.len() as f64 / 2.0;
    let at = |place: f64| {
        let place = (place.max(0.0) as usize).min(slopes.len() - 1);
        slopes.get(place).copied().unwrap_or(0.0)
    };
    let mean = at(middle);
    let sen = (at(middle + spread) - at(middle - spread)) / (2.0 * Z);
    let residuals: Vec<f64> = residuals(samples, mean);
    let alike = likeness_of_neighbours(&residuals);
    Some(Normal {
        mean,
        deviation: sen * ((1.0 + alike) / (1.0 - alike)).sqrt(),
    })
}

/// How far pauses are off a line with this slope, in the order of time; their median is 0.
fn residuals(samples: &[PauseSample], per_byte: f64) -> Vec<f64> {
    let rest = |one: &PauseSample| one.nanos as f64 - per_byte * one.work as f64;
    let rests: Vec<f64> = samples.iter().map(rest).collect();
    let middle = median(rests.clone());
    rests.into_iter().map(|rest| rest - middle).collect()
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(0.0)
}

/// The correlation of each residual with the next, 0 or more, by how often both have the same sign: single large ones do not move it.
fn likeness_of_neighbours(residuals: &[f64]) -> f64 {
    let signs = residuals.iter().zip(residuals.iter().skip(1));
    let products: Vec<f64> = signs
        .map(|(one, next)| one.signum() * next.signum())
        .collect();
    let mean = products.iter().sum::<f64>() / products.len().max(1) as f64;
    let correlation = (core::f64::consts::FRAC_PI_2 * mean).sin();
    match mean > 0.0 {
        true => correlation.clamp(0.0, MOST_ALIKE),
        false => 0.0,
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

    /// The machine gets faster while more is alive: the slope is negative, which no work can be.
    #[test]
    fn an_impossible_slope_is_no_certainty() {
        let samples: Vec<PauseSample> = (0..60_u64)
            .map(|at| PauseSample {
                nanos: 30_000_000 - at * 200_000 + noise(at) * 10,
                work: 10_000_000 + at * 300_000,
            })
            .collect();
        let model = PauseModel::fit(&samples, 0);
        let Estimate { value, low, high } = model.per_byte;
        let most = model.nanos as f64 / model.work as f64;
        assert!(
            low < value && value < high && high > 0.3 * most,
            "{model:?}"
        );
        let half = model.time(30.0, 0.0);
        assert!(half.high - half.low > 0.1 * model.nanos as f64, "{half:?}");
    }

    /// A machine that is busy for a while makes neighbours long together. As many pauses in another order are worth more.
    #[test]
    fn neighbours_that_are_disturbed_together_tell_less() {
        let pause = |at: u64, busy: bool| PauseSample {
            nanos: 5_000_000 + at * 100_000 + if busy { 9_000_000 } else { 0 } + noise(at),
            work: 1_000_000 + at * 100_000,
        };
        let together: Vec<PauseSample> = (0..80).map(|at| pause(at, at / 10 % 2 == 1)).collect();
        let apart: Vec<PauseSample> = (0..80).map(|at| pause(at, at % 2 == 1)).collect();
        let width = |samples: &[PauseSample]| {
            let Estimate { low, high, .. } = PauseModel::fit(samples, 0).per_byte;
            assert!(low <= 1.0 && 1.0 <= high, "{low} to {high}");
            high - low
        };
        assert!(width(&together) > 1.2 * width(&apart));
    }

    #[test]
    fn scatter_adds_to_a_part_of_the_pauses_and_not_to_all() {
        let samples: Vec<PauseSample> = (0..100_u64)
            .map(|at| PauseSample {
                nanos: 1_000_000 + noise(at) * 20,
                work: 0,
            })
            .collect();
        let model = PauseModel::fit(&samples, 0);
        let (half, all) = (model.time(50.0, 0.0), model.time(100.0, 0.0));
        let error = model.scatter * 5.0;
        assert!(error > 100_000.0, "{model:?}");
        assert!((half.high - half.value - Z * error).abs() < 1.0, "{half:?}");
        assert!(all.high - all.low < 1.0, "{all:?}");
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
