//! Classes go through the class hook again, in batches: each stops the program once, for as long as its classes take to be exchanged.
//!
//! ```text
//! RetransformClasses   the hook and the verifier for each class (the program runs) ── the VM stops the program, exchanges all, lets it go on
//!                                                                   last hook left ──> |<------------- a stop, at the most ------------>|
//! ```
//!
//! How large the batches are is in [`super::batch_size`]. If the VM refuses a class, it exchanges none of its batch. It looks
//! at classes in their order, so the class of the last hook is the one: what is before it goes together, and what is after it.
//!
//! Beside other processes, a stop lasts longer than its work. The work is the CPU time of the VM's thread between the two ends of the stop.

use std::cell::Cell;
use std::time::{Duration, Instant};

use ducktrack_classfile::class_of;
use ducktrack_jvmti::sys::jclass;
use ducktrack_jvmti::{Env, Error};

use super::batch_size::{BatchSize, LONGEST_STOP};
use super::stop_forecast::{StopForecast, Stretch};
use crate::process::other_thread::OtherThread;

thread_local! {
    /// When this thread last left the class hook. Only while it retransforms classes.
    static HOOK_LEFT: Cell<Option<Moment>> = const { Cell::new(None) };
    /// Classes being retransformed that went through the hook.
    static HOOKS: Cell<usize> = const { Cell::new(0) };
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

/// The class hook is left, by a class that was loaded before or by a new one.
pub(crate) fn note_hook_left(is_loaded: bool) {
    let _ = HOOKS.try_with(|hooks| hooks.set(hooks.get() + usize::from(is_loaded)));
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
    /// CPU time of the VM's thread in that time; all of it if that is unknown.
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
    /// Classes that were not tried, because there was no room for more.
    pub(crate) left_out: usize,
    /// The forecast that was made after the first stops.
    pub(crate) forecast: Option<StopForecast>,
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

    /// Names a class that alone takes longer than a stop should.
    fn note_slow(&mut self, env: Env, classes: &[jclass], time: Duration) {
        if let ([class], true) = (classes, time > LONGEST_STOP) {
            let name = env.class_signature(*class).unwrap_or_default();
            let name = String::from_utf8_lossy(&name);
            let name = match class_of(&name) {
                "" => "a class that the VM does not name".to_owned(),
                name => name.replace('/', "."),
            };
            self.slow_class = self.slow_class.take().max(Some((time, name)));
        }
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
            left_out: self.left_out + other.left_out,
            forecast: other.forecast.or(self.forecast),
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

/// Retransforms the classes, at most `at_once` in one call. `on_failure` gets each class that the VM refuses.
pub(crate) fn retransform(
    env: Env,
    classes: &[jclass],
    at_once: usize,
    on_failure: impl FnMut(jclass, Error),
) -> Stops {
    retransform_in_view(env, classes, |_| at_once, on_failure, |_| ())
}

/// How far it is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Progress<'a> {
    /// Classes that are still to be exchanged.
    pub(crate) classes_left: usize,
    /// The stops so far.
    pub(crate) stops: &'a Stops,
    size: &'a BatchSize,
}

impl Progress<'_> {
    /// Whether stops of several sizes have told what a stop and what a class costs.
    pub(crate) fn is_known(&self) -> bool {
        self.size.is_known()
    }

    /// How long the program is stopped for this many classes, in all.
    pub(crate) fn stops_for(&self, classes: usize) -> StopForecast {
        let stretch = Stretch::of(self.stops.together, self.stops.work_together);
        StopForecast::of(self.size, classes, stretch)
    }
}

/// The same. `room` tells how many classes may be exchanged next, after that many were:
/// with 0, the others are left out. After each batch, `watch` learns how far it is.
pub(crate) fn retransform_in_view(
    env: Env,
    classes: &[jclass],
    mut room: impl FnMut(usize) -> usize,
    mut on_failure: impl FnMut(jclass, Error),
    mut watch: impl FnMut(Progress<'_>),
) -> Stops {
    let mut stops = Stops::default();
    let begun = Instant::now();
    let mut size = BatchSize::default();
    let mut rest = classes;
    let vm_thread = OtherThread::vm();
    while !rest.is_empty() {
        let fitting = room(classes.len() - rest.len());
        if fitting == 0 {
            stops.left_out = rest.len();
            break;
        }
        let (batch, later) = rest.split_at(size.next().min(fitting).min(rest.len()));
        rest = later;
        let mut waiting = vec![batch];
        while let Some(part) = waiting.pop() {
            match (exchange(env, part, vm_thread), part) {
                (Ok(stop), _) => {
                    stops.classes += part.len();
                    stops.add(stop);
                    stops.note_slow(env, part, stop.time);
                    match part.len() == batch.len() {
                        true => size.learn(part.len(), stop.work),
                        false => size.learn_of_part(part.len(), stop.work),
                    }
                }
                (Err((error, _)), &[class]) => {
                    stops.refused += 1;
                    on_failure(class, error);
                }
                (Err((_, hooks)), _) => waiting.extend(around(part, hooks)),
            }
        }
        watch(Progress {
            classes_left: rest.len(),
            stops: &stops,
            size: &size,
        });
    }
    stops.work = begun.elapsed();
    stops
}

/// Exchanges these classes in one stop, or none of them: then with the number of those that went through the hook.
fn exchange(
    env: Env,
    classes: &[jclass],
    vm_thread: Option<OtherThread>,
) -> Result<Stop, (Error, usize)> {
    let start = Moment::now(vm_thread);
    HOOK_LEFT.set(Some(start));
    HOOKS.set(0);
    let done = env.retransform_classes(classes);
    let stop = HOOK_LEFT.take().unwrap_or(start).until_now();
    done.map(|()| stop).map_err(|error| (error, HOOKS.get()))
}

/// The parts of a batch that failed, the last first: after the class of
/// the last hook, that class, before it. Halves, if hooks do not tell it.
fn around<T>(batch: &[T], hooks: usize) -> Vec<&[T]> {
    let at = match hooks.checked_sub(1) {
        Some(last) if last < batch.len() => last,
        _ => batch.len() / 2,
    };
    let (before, from) = batch.split_at(at);
    let (class, after) = from.split_at(1.min(from.len()));
    let mut parts = vec![after, class, before];
    parts.retain(|part| !part.is_empty());
    parts
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
    fn a_class_that_fails_is_found_by_its_hook() {
        let classes = [1, 2, 3, 4, 5];
        assert_eq!(around(&classes, 3), [&[4, 5][..], &[3], &[1, 2]]);
        assert_eq!(around(&classes, 1), [&[2, 3, 4, 5][..], &[1]]);
        assert_eq!(around(&classes, 5), [&[5][..], &[1, 2, 3, 4]]);
        for unknown in [0, 6] {
            assert_eq!(around(&classes, unknown), [&[4, 5][..], &[3], &[1, 2]]);
        }
    }

    #[test]
    fn a_class_that_takes_too_long_by_itself_is_named() {
        let mut stops = Stops::default();
        stops.add(stop(280, 280));
        stops.slow_class = Some((Duration::from_millis(280), "app.Large".to_owned()));
        let all = stops.and(&Stops::default());
        assert!(all.sentence().ends_with("app.Large alone took 280.0 ms."));
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
        stops.add(stop(300, 15));
        let missed = "; it took 0.0 s. 1 of them took longer than 250 ms, which are aimed at; \
                      the VM's own work was 20.0 ms at the longest, the rest was waiting for a processor.";
        assert!(stops.sentence().ends_with(missed));
    }
}
