//! Adapts the number of bytes between samples: as few as the CPU budget allows.
//!
//! Each tick compares the cost of the samples with the program's CPU time. Over budget, the interval grows in proportion to the excess; far
//! under budget, it is halved. In between it stays, so it settles.

use std::time::Duration;

/// The share of the program's CPU time that sampling may take, including the VM's own work for a sample.
const BUDGET: f64 = 0.005;
/// The VM's own cost per sample, outside the agent.
const IN_THE_VM: Duration = Duration::from_micros(2);
/// More samples in a tick add no information.
const MOST_SAMPLES: u64 = 100;
/// The CPU time always granted, so that a nearly idle program is sampled as well.
const LEAST_BUDGET: Duration = Duration::from_micros(100);
/// The first interval, small enough for stacks from short programs.
const FIRST: u64 = 128 << 10;
const SHORTEST: u64 = 16 << 10;
const LONGEST: u64 = 1 << 30;
/// The maximum factor by which an interval grows at once.
const STEP: f64 = 8.0;

/// The interval, and whether it adapts.
#[derive(Debug)]
pub(super) struct SamplingRate {
    interval: u64,
    fixed: bool,
}

/// Samples and costs since the previous tick.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tick {
    /// CPU time of the process.
    pub(super) cpu: Duration,
    /// CPU time spent on samples.
    pub(super) spent: Duration,
    pub(super) samples: u64,
}

impl SamplingRate {
    /// `fixed`: bytes between samples, if the user sets them.
    pub(super) fn new(fixed: Option<u64>) -> Self {
        Self {
            interval: fixed.unwrap_or(FIRST),
            fixed: fixed.is_some(),
        }
    }

    /// The mean number of bytes between samples.
    pub(super) fn interval(&self) -> u64 {
        self.interval
    }

    /// Returns a new interval if it must change.
    pub(super) fn next(&mut self, tick: Tick) -> Option<u64> {
        let before = self.interval;
        if !self.fixed {
            self.interval = self.adapted(tick);
        }
        (self.interval != before).then_some(self.interval)
    }

    fn adapted(&self, tick: Tick) -> u64 {
        let in_vm = IN_THE_VM.saturating_mul(u32::try_from(tick.samples).unwrap_or(u32::MAX));
        let cost = (tick.spent + in_vm).as_secs_f64();
        let budget = tick.cpu.mul_f64(BUDGET).max(LEAST_BUDGET).as_secs_f64();
        let by_cost = cost / budget;
        let by_number = tick.samples as f64 / MOST_SAMPLES as f64;
        let used = by_cost.max(by_number);
        let interval = self.interval as f64;
        let wanted = match used {
            used if used > 1.0 => interval * used.min(STEP),
            used if used < 0.4 => interval / 2.0,
            _ => interval,
        };
        (wanted as u64).clamp(SHORTEST, LONGEST)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Simulates a program that allocates this many bytes per tick and pays this much per sample.
    fn settled(bytes_per_tick: u64, micros: u64) -> (u64, f64) {
        let mut rate = SamplingRate::new(None);
        let mut share = 0.0;
        for _ in 0..50 {
            let samples = bytes_per_tick / rate.interval();
            let tick = Tick {
                cpu: Duration::from_millis(250),
                spent: Duration::from_micros(samples * micros),
                samples,
            };
            share = (tick.spent + IN_THE_VM * u32::try_from(samples).unwrap()).as_secs_f64()
                / tick.cpu.as_secs_f64();
            rate.next(tick);
        }
        (rate.interval(), share)
    }

    #[test]
    fn the_rate_comes_to_rest_within_the_budget() {
        for (bytes, micros) in [
            (500 << 20, 20),
            (100 << 20, 200),
            (2 << 30, 10),
            (1 << 20, 20),
        ] {
            let (interval, share) = settled(bytes, micros);
            assert!(share <= BUDGET * 1.01, "{bytes} {micros}: {share}");
            assert!(interval >= SHORTEST);
            assert!(
                share > BUDGET / 5.0 || bytes / interval >= 30,
                "{bytes} {micros}: {interval} leaves the budget unused"
            );
        }
    }

    #[test]
    fn what_the_user_wants_stays() {
        let mut rate = SamplingRate::new(Some(100));
        let busy = Tick {
            cpu: Duration::from_millis(1),
            spent: Duration::from_secs(1),
            samples: 1_000_000,
        };
        assert_eq!((rate.next(busy), rate.interval()), (None, 100));
    }

    #[test]
    fn nothing_divides_by_zero() {
        let mut rate = SamplingRate::new(None);
        for _ in 0..100 {
            rate.next(Tick {
                cpu: Duration::ZERO,
                spent: Duration::ZERO,
                samples: 0,
            });
        }
        assert_eq!(rate.interval(), SHORTEST);
    }
}
