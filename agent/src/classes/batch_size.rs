//! How many classes go through the class hook before the program is stopped once for all of them.
//!
//! A stop has a part of its own (the VM walks over all classes and all compiled code, whatever was exchanged) and a part for each class:
//!
//! ```text
//! stop = own + classes * each        4,700 classes loaded: about 13 ms + classes * 0.06 ms
//! ```
//!
//! Many short stops pay the first part many times. So batches grow until a stop takes several times its
//! own part, as long as it stays short. Both parts are estimated from the work of the stops so far, by
//! least squares. Waiting for a processor is no reason for smaller batches: the next stop waits as well.

use std::time::Duration;

/// No stop should be longer.
pub(super) const LONGEST_STOP: Duration = Duration::from_millis(250);
/// The length of a stop to aim at, in milliseconds. Beside other processes a
/// stop takes up to four times as long as the same stop on an idle machine.
const AIM: f64 = 40.0;
/// The time of a stop against its own part.
const WORTH: f64 = 4.0;
const FIRST_BATCH: usize = 64;
const SMALLEST_BATCH: usize = 32;
const LARGEST_BATCH: usize = 1024;
/// A batch is at most this many times as large as the one before: few classes say little about many.
const GROWTH: usize = 2;
/// Stops before there is a forecast.
const ENOUGH_STOPS: f64 = 3.0;

/// The size of the next batch, from the stops so far.
#[derive(Debug, Default)]
pub(super) struct BatchSize {
    /// Of the last batch.
    last: usize,
    next: Option<usize>,
    stops: f64,
    classes: f64,
    millis: f64,
    squares: f64,
    products: f64,
    shortest: f64,
}

impl BatchSize {
    pub(super) fn next(&self) -> usize {
        self.next.unwrap_or(FIRST_BATCH)
    }

    /// A batch of this many classes made a stop with this much work.
    pub(super) fn learn(&mut self, size: usize, stop: Duration) {
        let millis = self.note(size, stop);
        self.last = size;
        self.next = Some(self.choose(millis));
    }

    /// The same of a part of a batch that the VM refused: it says nothing of how large the next batch may be.
    pub(super) fn learn_of_part(&mut self, size: usize, stop: Duration) {
        self.note(size, stop);
    }

    fn note(&mut self, size: usize, stop: Duration) -> f64 {
        let (classes, millis) = (count(size), stop.as_secs_f64() * 1e3);
        self.shortest = match self.stops > 0.0 {
            true => self.shortest.min(millis),
            false => millis,
        };
        self.stops += 1.0;
        self.classes += classes;
        self.millis += millis;
        self.squares += classes * classes;
        self.products += classes * millis;
        millis
    }

    fn choose(&self, last_stop: f64) -> usize {
        let longest = LONGEST_STOP.as_secs_f64() * 1e3;
        let (own, each) = self.parts();
        // At least twice its own part: smaller batches would stop the program for longer in all.
        let aim = (own * WORTH).max(AIM).min(longest / 2.0).max(own * 2.0);
        let most = if last_stop > longest && own * 2.0 < longest {
            self.last / 2
        } else {
            self.last * GROWTH
        };
        let fitting = ((aim - own) / each.max(1e-4)).min(count(LARGEST_BATCH));
        #[allow(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "small and positive"
        )]
        let fitting = match self.has_several_sizes() {
            true => (fitting.max(0.0) as usize).min(self.not_too_long(last_stop, own)),
            // Batches of one size do not tell the two parts apart: another size does.
            false => most,
        };
        fitting.min(most).clamp(SMALLEST_BATCH, LARGEST_BATCH)
    }

    /// The next classes may cost twice as much as those of the last stop: by then
    /// it is not longer than a stop should be, nor than four times its own part.
    fn not_too_long(&self, last_stop: f64, own: f64) -> usize {
        let half = (LONGEST_STOP.as_secs_f64() * 1e3 / 2.0).max(own * 2.0);
        #[allow(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "small and positive"
        )]
        let most = (count(self.last) * half / last_stop.max(1e-3)) as usize;
        most
    }

    /// Milliseconds of a stop, and of each class in it.
    fn parts(&self) -> (f64, f64) {
        let (mean_size, mean_stop) = (self.classes / self.stops, self.millis / self.stops);
        let spread = self.spread();
        let together = self.products / self.stops - mean_size * mean_stop;
        let each = if self.has_several_sizes() {
            (together / spread).max(0.0)
        } else {
            // One size so far: half of it may be the stop's own part.
            mean_stop / 2.0 / mean_size.max(1.0)
        };
        let own = (mean_stop - each * mean_size).clamp(0.0, self.shortest);
        (own, each)
    }

    /// The variance of the sizes.
    fn spread(&self) -> f64 {
        let mean_size = self.classes / self.stops;
        self.squares / self.stops - mean_size * mean_size
    }

    /// Whether the two parts of a stop can be told apart.
    fn has_several_sizes(&self) -> bool {
        self.spread() > 1.0
    }

    /// Whether there were enough stops, of several sizes, for a forecast.
    pub(super) fn is_known(&self) -> bool {
        self.stops >= ENOUGH_STOPS && self.has_several_sizes()
    }

    /// The work of the stops for this many further classes.
    pub(super) fn forecast(&self, classes: usize) -> Duration {
        let (own, each) = self.parts();
        let work = self.batches(classes) * own + count(classes) * each;
        Duration::from_secs_f64(work.max(0.0) / 1e3)
    }

    /// The same if stops had no part of their own.
    pub(super) fn forecast_without_own_part(&self, classes: usize) -> Duration {
        let each = self.millis / self.classes.max(1.0);
        Duration::from_secs_f64(count(classes) * each / 1e3)
    }

    /// Stops for this many further classes.
    pub(super) fn batches(&self, classes: usize) -> f64 {
        (count(classes) / count(self.next())).ceil()
    }
}

#[allow(clippy::cast_precision_loss, reason = "numbers of classes are small")]
fn count(classes: usize) -> f64 {
    classes as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The stops for this many classes in a VM with these costs, in milliseconds.
    fn stops(mut classes: usize, own: f64, each: f64) -> Vec<f64> {
        let mut size = BatchSize::default();
        let mut stops = Vec::new();
        while classes > 0 {
            let batch = size.next().min(classes);
            classes -= batch;
            let stop = own + each * count(batch);
            size.learn(batch, Duration::from_secs_f64(stop / 1e3));
            stops.push(stop);
        }
        stops
    }

    fn longest(stops: &[f64]) -> f64 {
        stops.iter().copied().fold(0.0, f64::max)
    }

    #[test]
    fn the_sum_of_all_stops_is_small_and_none_is_long() {
        for (own, each, most) in [(13.0, 0.06, 450.0), (1.0, 0.02, 130.0), (40.0, 0.2, 1700.0)] {
            let stops = stops(5_000, own, each);
            let sum: f64 = stops.iter().sum();
            assert!(sum < most, "{own} {each}: {stops:?}");
            assert!(longest(&stops) < 250.0, "{own} {each}: {stops:?}");
        }
    }

    #[test]
    fn where_a_stop_is_long_whatever_it_is_for_batches_are_large() {
        let stops = stops(20_000, 200.0, 0.1);
        assert!(stops.len() < 30, "{stops:?}");
    }

    #[test]
    fn where_classes_are_slow_batches_are_small() {
        let stops = stops(2_000, 10.0, 1.0);
        assert!(longest(&stops) < 140.0, "{stops:?}");
    }

    /// The first classes are cheap, so that batches become large. Compiled code of the later ones must be thrown away.
    #[test]
    fn a_stop_is_not_long_where_later_classes_cost_twice_as_much() {
        let mut size = BatchSize::default();
        let mut stops = Vec::new();
        let mut done = 0;
        while done < 6_000 {
            let batch = size.next();
            let each = [0.05, 0.1, 0.2, 0.4][done / 1_500];
            let stop = 20.0 + each * count(batch);
            size.learn(batch, Duration::from_secs_f64(stop / 1e3));
            stops.push(stop);
            done += batch;
        }
        assert!(longest(&stops) < 250.0, "{stops:?}");
        assert!(stops.iter().sum::<f64>() < 2_500.0, "{stops:?}");
    }

    #[test]
    fn a_refused_class_does_not_make_batches_small_again() {
        let mut size = BatchSize::default();
        for (batch, millis) in [(64, 18), (128, 21), (256, 28)] {
            size.learn(batch, Duration::from_millis(millis));
        }
        let before = size.next();
        for (part, millis) in [(100, 20), (1, 15), (155, 23)] {
            size.learn_of_part(part, Duration::from_millis(millis));
        }
        assert_eq!(size.next(), before);
    }

    #[test]
    fn a_forecast_is_what_the_stops_then_take() {
        let mut size = BatchSize::default();
        size.learn(64, Duration::from_millis(17));
        size.learn(128, Duration::from_millis(21));
        let forecast = size.forecast(4_700).as_secs_f64();
        assert!((0.3..2.0).contains(&forecast), "{forecast}");
    }
}
