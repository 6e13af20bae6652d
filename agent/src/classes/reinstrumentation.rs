//! Methods get a new version for the hot path that their counters measured.
//!
//! ```text
//! first version: paths where heuristics expect them to save much, else one counter per site; all of them tell frequencies
//!   hottest counter >= threshold, gain per second worth it ── edge frequencies ── new version: measured paths
//! new version: its counters go on telling frequencies
//!   the hottest counter lost its share ── first version again, profiled anew
//! ```
//!
//! Classes are retransformed in batches, the most gain first, with a pause in between: each batch stops the program once.
//! Counters of a replaced version stay: frames that still run it go on counting there, and the sums stay exact.

use std::time::{Duration, Instant};

use ducktrack_class_rewriter::{MeasuredPlacement, MethodProfile, ProfilePoints};
use ducktrack_jvmti::Jni;
use ducktrack_jvmti::sys::jclass;
use ducktrack_trace_format::{Record, Reinstrumented};
use parking_lot::Mutex;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::core::registry::{ClassKey, KnownClass};
use crate::core::{Core, Cost, LOCAL_REFERENCES};
use crate::threads::thread_table::ThreadRow;

/// Looks at all counters of all methods take CPU, too: they are no closer than this.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// The most classes retransformed at one go.
const MOST_CLASSES: usize = 64;
/// Each batch makes the time to the next one this many times as long. Retransformed code must be compiled anew,
/// which takes about as much CPU as when it was new: so what all batches cost stays a small part of the run.
const LONGER: u32 = 2;
const LONGEST_PAUSE: Duration = Duration::from_secs(120);
/// A method is worth a new version if that may save this many increments a second for each execution of the threshold: with
/// 10,000 executions 10,000 increments.
const GAIN_PER_THRESHOLD: f64 = 1.0;
/// A new version is profiled again when the counter that was hottest has less than this part of its expected share.
const SHARE_LOST: f64 = 0.5;
/// No method gets more versions than this.
const MOST_VERSIONS: u16 = 8;

/// The methods that get a new version now.
#[derive(Default)]
pub(crate) struct Reinstrumentation {
    waiting: Mutex<Waiting>,
}

/// Methods whose class is about to be retransformed.
#[derive(Default)]
struct Waiting {
    methods: FxHashMap<ClassKey, Vec<NextVersion>>,
}

/// The next version of a method.
struct NextVersion {
    method: u16,
    version: u16,
    /// The new profile, or none to profile it anew.
    profile: Option<MethodProfile>,
}

impl Waiting {
    fn apply(&self, key: &ClassKey, known: &mut KnownClass) {
        for next in self.methods.get(key).into_iter().flatten() {
            known.set_version(next.method, next.version, next.profile.clone());
        }
    }
}

/// State of the background thread between two looks.
#[derive(Default)]
pub(crate) struct Watch {
    /// When the last batch was, and how long to wait for the next one.
    last_batch: Option<(Instant, Duration)>,
    last_look: Option<Instant>,
    /// Seconds between the last two looks; 0 at the first.
    seconds: f64,
    /// For each first version, by its first counter: the increments that could have been saved by the last look.
    saveable: FxHashMap<u32, u64>,
    /// For each new version, by its hottest counter: all its increments when it was last looked at, and the hottest one's.
    seen: FxHashMap<u32, (u64, u64)>,
}

/// A method that is due.
struct Due {
    key: ClassKey,
    method: u16,
    /// The version that is replaced.
    version: u16,
    profile: Option<MethodProfile>,
    /// Increments that the version that is replaced has executed.
    increments: u64,
    /// Those of its hottest counter.
    hottest: u64,
    /// Increments that need not be executed, per second, at the best.
    gain: f64,
}

impl Reinstrumentation {
    /// Gives the methods of a class that are due their next version.
    pub(crate) fn apply(&self, key: &ClassKey, known: &mut KnownClass) {
        self.waiting.lock().apply(key, known);
    }

    /// Re-instruments the classes of methods that are due, the most promising ones first.
    pub(crate) fn reinstrument_due_methods(&self, core: &Core, watch: &mut Watch) {
        let Some(threshold) = core.options.reinstrument else {
            return;
        };
        let (last, pause) = *watch
            .last_batch
            .get_or_insert((Instant::now(), core.options.reinstrument_after));
        let looked = watch.last_look.map(|last| last.elapsed());
        if last.elapsed() < pause || looked.is_some_and(|ago| ago < LOOK_EVERY.min(pause)) {
            return;
        }
        let due = most_gain(due_methods(core, threshold, watch));
        if due.is_empty() {
            return;
        }
        watch.last_batch = Some((Instant::now(), (pause * LONGER).min(LONGEST_PAUSE)));
        let mut methods: FxHashMap<ClassKey, Vec<NextVersion>> = FxHashMap::default();
        for due in &due {
            methods
                .entry(due.key.clone())
                .or_default()
                .push(NextVersion {
                    method: due.method,
                    version: due.version + 1,
                    profile: due.profile.clone(),
                });
        }
        self.waiting.lock().methods = methods;
        let outcome = core.in_vm(|jni| {
            let retransform = || {
                core.env
                    .retransform_classes(&self.classes_waiting(core, jni))
            };
            jni.with_local_frame(LOCAL_REFERENCES, retransform)
                .flatten()
        });
        self.waiting.lock().methods.clear();
        match outcome {
            Ok(Ok(())) => note_new_versions(core, &due),
            Ok(Err(error)) | Err(error) => core
                .log
                .warn(&format!("methods keep their counters: {error}")),
        }
    }

    fn classes_waiting(&self, core: &Core, jni: Jni) -> Vec<jclass> {
        let keys: FxHashSet<ClassKey> = self.waiting.lock().methods.keys().cloned().collect();
        core.loaded(jni, &keys)
    }
}

/// Methods that were entered often enough, and new versions whose hot path has moved.
fn due_methods(core: &Core, threshold: u64, watch: &mut Watch) -> Vec<Due> {
    let Some(facts) = core.facts() else {
        return Vec::new();
    };
    let sums = sums(core, &core.threads.rows(&facts.threads));
    let sum = |id: u32| sums.get(id as usize).copied().unwrap_or(0);
    watch.seconds = watch
        .last_look
        .replace(Instant::now())
        .map_or(0.0, |last| last.elapsed().as_secs_f64());
    let mut due = Vec::new();
    core.registry.visit_profiled(|key, version, points| {
        due.extend(match points.measured {
            None => first_version_due((key, version), points, threshold, &sum, watch),
            Some(placed) => moved((key, version), points, placed, threshold, &sum, watch),
        });
    });
    due
}

/// The current value of each counter.
fn sums(core: &Core, rows: &[(ThreadRow, u64)]) -> Vec<u64> {
    let end = core.registry.counter_end();
    let mut sums = vec![0_u64; end as usize];
    let written = core.blocks.written();
    let blocks = rows.iter().map(|(row, _)| row.block).chain([core.shared]);
    for (id, value) in blocks.flat_map(|block| written.counters(block, end)) {
        if let Some(sum) = sums.get_mut(id as usize) {
            *sum = sum.wrapping_add(value);
        }
    }
    sums
}

/// Whether a version that was placed for a hot path runs another one by now.
fn moved(
    (key, version): (&ClassKey, u16),
    points: &ProfilePoints,
    placed: MeasuredPlacement,
    threshold: u64,
    sum: &impl Fn(u32) -> u64,
    watch: &mut Watch,
) -> Option<Due> {
    let hottest = placed.hottest;
    let all = total(points, sum);
    let hot = sum(hottest);
    let (all_before, hot_before) = watch.seen.get(&hottest).copied().unwrap_or((0, 0));
    let recent = all.saturating_sub(all_before);
    if recent < threshold {
        return None;
    }
    watch.seen.insert(hottest, (all, hot));
    let share = ratio(hot.saturating_sub(hot_before), recent);
    if share >= placed.share * SHARE_LOST || version >= MOST_VERSIONS {
        return None;
    }
    Some(Due {
        key: key.clone(),
        method: points.method,
        version,
        profile: None,
        increments: all,
        hottest: hot,
        gain: per_second(recent, watch.seconds),
    })
}

fn note_new_versions(core: &Core, due: &[Due]) {
    Cost::add(&core.cost.reinstrumented, due.len() as u64);
    for method in due {
        let Some((id, version, points)) = core.registry.version(&method.key, method.method) else {
            continue;
        };
        // Runs are known where the new version was placed for measured frequencies; else at least the hottest counter's.
        let placed = points.as_ref().and_then(|points| points.measured);
        let runs = placed.map_or(method.hottest, |placed| placed.runs);
        let before = ratio(method.increments, runs);
        let after = points.and_then(|points| points.increments_per_entry);
        let after = after.unwrap_or(before);
        #[allow(clippy::cast_possible_truncation, reason = "a ratio for people")]
        let (before, after) = (before as f32, after as f32);
        core.registry.note(Record::Reinstrumented(Reinstrumented {
            method: id,
            version,
            entries: runs,
            before,
            after,
        }));
    }
}

/// A first version that ran often enough and is hot enough now to be worth the effort.
fn first_version_due(
    (key, version): (&ClassKey, u16),
    points: &ProfilePoints,
    threshold: u64,
    sum: &impl Fn(u32) -> u64,
    watch: &mut Watch,
) -> Option<Due> {
    let first = *points.counters.first()?;
    let counts = || points.counters.iter().map(|counter| sum(*counter));
    let hottest = counts().max().unwrap_or(0);
    if hottest < threshold {
        return None;
    }
    let increments = counts().fold(0, u64::saturating_add);
    // At the best, the hottest counter does the work of all.
    let saveable = increments - hottest;
    let before_this = watch.saveable.insert(first, saveable).unwrap_or(0);
    let gain = per_second(saveable.saturating_sub(before_this), watch.seconds);
    #[allow(clippy::cast_precision_loss, reason = "an estimate")]
    if gain < GAIN_PER_THRESHOLD * threshold as f64 {
        return None;
    }
    let profile = MethodProfile {
        method: points.method,
        entries: None,
        increments: Some(increments),
        edges: counted(&points.edges, sum),
        sites: counted(&points.sites, sum),
    };
    Some(Due {
        key: key.clone(),
        method: points.method,
        version,
        profile: Some(profile),
        increments,
        hottest,
        gain,
    })
}

/// The values of the counters at some places.
fn counted<P: Copy>(places: &[(P, u32)], sum: &impl Fn(u32) -> u64) -> Vec<(P, u64)> {
    let places = places.iter();
    places
        .map(|(place, counter)| (*place, sum(*counter)))
        .collect()
}

#[allow(clippy::cast_precision_loss, reason = "an estimate")]
fn per_second(increments: u64, seconds: f64) -> f64 {
    if seconds > 0.0 {
        increments as f64 / seconds
    } else {
        0.0
    }
}

/// Increments of a version's counters.
fn total(points: &ProfilePoints, sum: &impl Fn(u32) -> u64) -> u64 {
    let counters = points.counters.iter().copied();
    counters.map(sum).fold(0, u64::saturating_add)
}

/// The methods of the classes with the most to gain.
fn most_gain(mut due: Vec<Due>) -> Vec<Due> {
    due.sort_by(|a, b| b.gain.total_cmp(&a.gain));
    let mut classes: FxHashSet<ClassKey> = FxHashSet::default();
    due.retain(|method| {
        classes.contains(&method.key)
            || (classes.len() < MOST_CLASSES && classes.insert(method.key.clone()))
    });
    due
}

#[allow(clippy::cast_precision_loss, reason = "an estimate")]
fn ratio(part: u64, whole: u64) -> f64 {
    if whole == 0 {
        0.0
    } else {
        part as f64 / whole as f64
    }
}
