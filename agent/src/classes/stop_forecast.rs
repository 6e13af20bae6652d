//! How long the program will be stopped for classes that are still to be
//! exchanged: an interval, from the stops so far and from the load of the machine.
//!
//! Two things are not known. What a class costs varies from class to class, and the two parts of a stop (its own, and that of each
//! class) are told apart by few stops only: the least is that of the line through them, the most is that of no own part at all,
//! with classes that are dearer. And a stop lasts longer than its work while other processes run on the processors. Two figures
//! tell how much longer: the stops so far, and the number of threads that want to run. Both change while the agent arrives.

use std::time::Duration;

use super::batch_size::BatchSize;

/// A remaining class costs at least `CHEAPER` and at most `DEARER` times as much as those so far did on average.
const CHEAPER: f64 = 0.6;
const DEARER: f64 = 1.3;
/// Stops wait for a processor at most so many times as long as those so far have, and as there are threads for each processor.
const SEEN_VARIES: f64 = 2.0;
const LOAD_VARIES: f64 = 1.25;
/// A stop of a machine that was idle so far may meet one other process, for one slice of the scheduler each.
const SLICE: Duration = Duration::from_millis(4);

/// What is to be expected.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct StopForecast {
    pub(crate) least: Duration,
    pub(crate) most: Duration,
}

/// How much longer stops last than their work.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stretch {
    /// So far: at least 1.
    pub(super) seen: f64,
    /// Threads that want to run, for each processor: at least 1.
    pub(super) load: f64,
}

impl Stretch {
    /// `time` and `work`: of all stops so far.
    pub(super) fn of(time: Duration, work: Duration) -> Self {
        let seen = time.as_secs_f64() / work.as_secs_f64().max(1e-6);
        Self {
            seen: seen.max(1.0),
            load: load().unwrap_or(1.0).max(1.0),
        }
    }
}

impl StopForecast {
    /// With what has been.
    pub(crate) fn after(self, before: Duration) -> Self {
        Self {
            least: before + self.least,
            most: before + self.most,
        }
    }

    pub(crate) fn text(&self) -> String {
        let seconds = |time: Duration| time.as_secs_f64();
        format!("{:.1} to {:.1} s", seconds(self.least), seconds(self.most))
    }

    /// For this many classes.
    pub(super) fn of(size: &BatchSize, classes: usize, stretch: Stretch) -> Self {
        let line = size.forecast(classes);
        let even = size.forecast_without_own_part(classes);
        let waiting = (stretch.seen * SEEN_VARIES).max(stretch.load * LOAD_VARIES);
        Self {
            least: line.min(even).mul_f64(CHEAPER),
            most: line.max(even).mul_f64(DEARER * waiting) + SLICE.mul_f64(size.batches(classes)),
        }
    }
}

/// Threads of the machine that want to run just now, for each processor.
fn load() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/loadavg").ok()?;
    let (running, _) = text.split(' ').nth(3)?.split_once('/')?;
    let average: f64 = text.split(' ').next()?.parse().ok()?;
    let processors = std::thread::available_parallelism().ok()?.get();
    let running: f64 = running.parse().ok()?;
    #[allow(
        clippy::cast_precision_loss,
        reason = "numbers of processors are small"
    )]
    let processors = processors as f64;
    Some(running.max(average) / processors)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn size(own: f64, each: f64) -> BatchSize {
        let mut size = BatchSize::default();
        for batch in [64_u32, 128, 256] {
            let millis = own + each * f64::from(batch);
            size.learn(batch as usize, Duration::from_secs_f64(millis / 1e3));
        }
        size
    }

    #[test]
    fn what_comes_on_an_idle_machine_is_inside_and_the_interval_says_something() {
        let idle = Stretch {
            seen: 1.0,
            load: 1.0,
        };
        for (own, each) in [(13.0, 0.06), (1.0, 0.02), (40.0, 0.2)] {
            let size = size(own, each);
            let forecast = StopForecast::of(&size, 4_700, idle);
            let real = own * 5.0 + each * 4_700.0;
            let real = Duration::from_secs_f64(real / 1e3);
            assert!(
                forecast.least <= real && real <= forecast.most,
                "{forecast:?} {real:?}"
            );
            assert!(forecast.most < forecast.least * 20, "{forecast:?}");
        }
    }

    #[test]
    fn waiting_widens_it_upwards_only() {
        let size = size(13.0, 0.06);
        let idle = StopForecast::of(
            &size,
            4_700,
            Stretch {
                seen: 1.0,
                load: 1.0,
            },
        );
        let busy = StopForecast::of(
            &size,
            4_700,
            Stretch {
                seen: 3.0,
                load: 6.0,
            },
        );
        assert_eq!(idle.least, busy.least);
        assert!(busy.most > idle.most * 2, "{idle:?} {busy:?}");
    }
}
