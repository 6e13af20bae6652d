//! Classes go through the class hook again, in batches: each stops the program once, for as long as its classes take to be exchanged.
//!
//! ```text
//! RetransformClasses   the hook and the verifier for each class (the program runs) ── the VM stops the program, exchanges all, lets it go on
//!                                                                   last hook left ──> |<------------- a stop, at the most ------------>|
//! ```
//!
//! The next batch is as large as the last stop allows.
//!
//! Beside other processes, a stop lasts longer than its work. The work is the CPU time of the VM's thread between the two ends of the stop.

use std::cell::Cell;
use std::time::{Duration, Instant};

use ducktrack_jvmti::sys::jclass;
use ducktrack_jvmti::{Env, Error};

use crate::process::other_thread::OtherThread;

/// No stop should be longer.
const LONGEST_STOP: Duration = Duration::from_millis(50);
/// What is aimed at. Beside other processes a stop takes up to four times as long as the same stop on an idle machine.
const AIM: Duration = Duration::from_millis(10);
/// A batch grows by no more than this factor: few classes say little about many, and their code may be much smaller.
const GROWTH: f64 = 1.5;
const FIRST_BATCH: usize = 32;
/// A stop has a cost of its own, besides that of its classes. Smaller batches are made only where that shortens the stop.
const SMALL_BATCH: usize = 8;
const LARGEST_BATCH: usize = 1024;

thread_local! {
    /// When this thread last left the class hook. Only while it retransforms classes.
    static HOOK_LEFT: Cell<Option<Moment>> = const { Cell::new(None) };
}

/// A moment of the current thread.
#[derive(Clone, Copy, Debug)]
struct Moment {
    time: Instant,
    vm_thread: Option<OtherThread>,
    /// CPU time of the VM's thread up to this moment.
    vm_cpu: Option<Duration>,
}

impl Moment {
    fn now(vm_thread: Option<OtherThread>) -> Self {
        Self {
            time: Instant::now(),
            vm_thread,
            vm_cpu: vm_thread.and_then(OtherThread::cpu),
        }
    }

    fn until_now(self) -> Stop {
        let now = Self::now(self.vm_thread);
        let time = now.time - self.time;
        let work = now.vm_cpu.zip(self.vm_cpu);
        Stop {
            time,
            work: work.map_or(time, |(end, begin)| end.saturating_sub(begin).min(time)),
        }
    }
}

/// The class hook is left.
pub(crate) fn note_hook_left() {
    // A thread that ends has no such variable any more, and retransforms nothing.
    let _ = HOOK_LEFT.try_with(|left| {
        if let Some(before) = left.get() {
            left.set(Some(Moment::now(before.vm_thread)));
        }
    });
}

/// One stop of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stop {
    time: Duration,
    /// What the VM's thread worked in that time; all of it if that is unknown.
    work: Duration,
}

/// How the program was stopped.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Stops {
    pub(crate) count: u32,
    pub(crate) longest: Duration,
    /// The longest work of a stop.
    pub(crate) longest_work: Duration,
    /// How many took longer than they should.
    pub(crate) too_long: u32,
    pub(crate) together: Duration,
    /// The work of all stops.
    pub(crate) work_together: Duration,
    /// From the first batch to the last, the stops included.
    pub(crate) work: Duration,
    /// Classes that went through.
    pub(crate) classes: usize,
    /// Classes that the VM refused.
    pub(crate) refused: usize,
    /// The class that alone took longest, where that was too long, and how long.
    pub(crate) slow_class: Option<(Duration, String)>,
}

impl Stops {
    fn add(&mut self, stop: Stop) {
        self.count += 1;
        self.longest = self.longest.max(stop.time);
        self.longest_work = self.longest_work.max(stop.work);
        self.too_long += u32::from(stop.time > LONGEST_STOP);
        self.together += stop.time;
        self.work_together += stop.work;
    }

    /// Both, one after the other.
    pub(crate) fn and(&self, other: &Self) -> Self {
        Self {
            count: self.count + other.count,
            longest: self.longest.max(other.longest),
            longest_work: self.longest_work.max(other.longest_work),
            too_long: self.too_long + other.too_long,
            together: self.together + other.together,
            work_together: self.work_together + other.work_together,
            work: self.work + other.work,
            classes: self.classes + other.classes,
            refused: self.refused + other.refused,
            slow_class: self.slow_class.clone().max(other.slow_class.clone()),
        }
    }

    /// For the report.
    pub(crate) fn sentence(&self) -> String {
        let millis = |time: Duration| time.as_secs_f64() * 1e3;
        let mut text = format!(
            "The arrival of the agent stopped the program {} times, {:.1} ms together, {:.1} ms at the longest; it took {:.1} s.",
            self.count,
            millis(self.together),
            millis(self.longest),
            self.work.as_secs_f64(),
        );
        if self.too_long > 0 {
            let aim = LONGEST_STOP.as_millis();
            text += &format!(
                " {} of them took longer than {aim} ms, which are aimed at; the VM's own work was {:.1} ms at the longest, the rest was waiting for a processor.",
                self.too_long,
                millis(self.longest_work)
            );
        }
        if let Some((stop, class)) = &self.slow_class {
            text += &format!(" {class} alone took {:.1} ms.", millis(*stop));
        }
        text
    }
}

/// Retransforms the classes; those that the VM refuses go to `on_failure`.
pub(crate) fn retransform(
    env: Env,
    classes: &[jclass],
    mut on_failure: impl FnMut(jclass, Error),
) -> Stops {
    let mut stops = Stops::default();
    let begun = Instant::now();
    let mut size = BatchSize::default();
    let mut rest = classes;
    let vm_thread = OtherThread::vm();
    while !rest.is_empty() {
        let (batch, later) = rest.split_at(size.next.min(rest.len()));
        rest = later;
        let start = Moment::now(vm_thread);
        HOOK_LEFT.set(Some(start));
        stops.classes += env.retransform_in_batches(batch, batch.len(), |class, error| {
            stops.refused += 1;
            on_failure(class, error);
        });
        let stop = HOOK_LEFT.take().unwrap_or(start).until_now();
        stops.add(stop);
        let stop = stop.time;
        if let ([class], true) = (batch, stop > LONGEST_STOP) {
            let name = env.class_signature(*class).unwrap_or_default();
            let name = String::from_utf8_lossy(&name);
            let name = name.trim_matches(['L', ';']).replace('/', ".");
            stops.slow_class = stops.slow_class.max(Some((stop, name)));
        }
        size.learn(batch.len(), stop);
    }
    stops.work = begun.elapsed();
    stops
}

/// How many classes go into the next batch.
struct BatchSize {
    next: usize,
    smallest: usize,
    /// The stop of a batch of the smallest size that was too long, as long as halves of it may be shorter.
    too_long: Option<Duration>,
    /// Stops are long whatever they are for.
    is_fixed: bool,
}

impl Default for BatchSize {
    fn default() -> Self {
        Self {
            next: FIRST_BATCH,
            smallest: SMALL_BATCH,
            too_long: None,
            is_fixed: false,
        }
    }
}

impl BatchSize {
    /// A batch of this many classes made a stop this long.
    fn learn(&mut self, size: usize, stop: Duration) {
        if stop > LONGEST_STOP && size == self.smallest && !self.is_fixed {
            self.halve(size, stop);
        } else if stop <= LONGEST_STOP && self.smallest < SMALL_BATCH {
            // What was slow is through: many small batches would cost more than they save.
            (self.smallest, self.too_long) = (SMALL_BATCH, None);
        }
        self.next = next_size(size, stop).clamp(self.smallest, LARGEST_BATCH);
    }

    fn halve(&mut self, size: usize, stop: Duration) {
        let helped = self.too_long.is_none_or(|before| stop < before * 3 / 4);
        if helped {
            self.too_long = Some(stop);
            self.smallest = (size / 2).max(1);
        } else {
            self.is_fixed = true;
            self.smallest = SMALL_BATCH;
        }
    }
}

/// In proportion to the aim, between a quarter and [`GROWTH`].
fn next_size(size: usize, stop: Duration) -> usize {
    let factor = (AIM.as_secs_f64() / stop.as_secs_f64().max(1e-6)).clamp(0.25, GROWTH);
    #[allow(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "small and positive"
    )]
    let next = (size as f64 * factor) as usize;
    next.clamp(1, LARGEST_BATCH)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stop(time: u64, work: u64) -> Stop {
        Stop {
            time: Duration::from_millis(time),
            work: Duration::from_millis(work),
        }
    }

    #[test]
    fn a_batch_is_as_large_as_the_last_stop_allows() {
        assert_eq!(next_size(32, Duration::from_millis(1)), 48);
        assert_eq!(next_size(100, Duration::from_millis(20)), 50);
        assert_eq!(next_size(100, Duration::from_secs(9)), 25);
        assert_eq!(next_size(8, Duration::from_secs(9)), 2);
        assert_eq!(next_size(1000, Duration::ZERO), LARGEST_BATCH);
    }

    #[test]
    fn small_batches_are_halved_where_that_helps() {
        let millis = Duration::from_millis;
        let mut size = BatchSize::default();
        size.learn(32, millis(900));
        assert_eq!(size.next, 8);
        // Most of it is one class.
        for (batch, stop, next) in [(8, 220, 4), (4, 120, 2), (2, 70, 1), (1, 51, 1), (1, 1, 8)] {
            size.learn(batch, millis(stop));
            assert_eq!(size.next, next, "after {batch}");
        }
        // A stop takes this long whatever it is for.
        let mut size = BatchSize::default();
        for (batch, next) in [(8, 4), (4, 8), (8, 8), (8, 8)] {
            size.learn(batch, millis(200));
            assert_eq!(size.next, next, "after {batch}");
        }
    }

    #[test]
    fn a_class_that_takes_too_long_by_itself_is_named() {
        let mut stops = Stops::default();
        stops.add(stop(80, 80));
        stops.slow_class = Some((Duration::from_millis(80), "app.Large".to_owned()));
        let all = stops.and(&Stops::default());
        assert!(all.sentence().ends_with("app.Large alone took 80.0 ms."));
    }

    #[test]
    fn the_sentence_says_when_the_aim_was_missed() {
        let mut stops = Stops::default();
        stops.add(stop(10, 9));
        stops.add(stop(30, 20));
        assert!(
            stops
                .sentence()
                .contains("2 times, 40.0 ms together, 30.0 ms at the longest")
        );
        assert!(!stops.sentence().contains("aimed"));
        stops.add(stop(60, 15));
        let missed = "; it took 0.0 s. 1 of them took longer than 50 ms, which are aimed at; \
                      the VM's own work was 20.0 ms at the longest, the rest was waiting for a processor.";
        assert!(stops.sentence().ends_with(missed));
    }
}
