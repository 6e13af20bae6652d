//! Methods get a new version for the hot path that their counters measured.
//!
//! ```text
//! first version: heuristics, entry counter
//!   entries >= threshold, gain per second worth it ── edge frequencies ── new version: measured paths, no entry counter
//! new version: its counters go on telling frequencies
//!   the hottest counter lost its share ── first version again, profiled anew
//! ```
//!
//! Classes are retransformed in batches, the most gain first, with a pause in between: each batch stops the program once.
//! Counters of a replaced version stay: frames that still run it go on counting there, and the sums stay exact.

use std::time::{Duration, Instant};

use ducktrack_class_rewriter::{MethodProfile, ProfilePoints};
use ducktrack_jvmti::Jni;
use ducktrack_jvmti::sys::jclass;
use ducktrack_trace_format::{Record, Reinstrumented};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::agent::{Agent, Cost};
use crate::registry::{ClassKey, KnownClass};

/// The most classes retransformed at one go.
const MOST_CLASSES: usize = 64;
/// Time before the first batch; every batch doubles the time to the next one, because retransformed code must be compiled anew.
const FIRST_PAUSE: Duration = Duration::from_secs(2);
const LONGEST_PAUSE: Duration = Duration::from_secs(120);
/// A method is worth a new version if that saves so many increments a second for each entry of the threshold: with 10,000
/// entries a million increments, about a thousandth of a core.
const GAIN_PER_THRESHOLD: f64 = 100.0;
/// A new version is profiled again when the counter that was hottest has less than this part of its expected share.
const SHARE_LOST: f64 = 0.5;
/// No method gets more versions than this.
const MOST_VERSIONS: u16 = 8;

/// Methods whose class is about to be retransformed: the new profile, or none to profile it anew.
#[derive(Default)]
pub(crate) struct Waiting {
    methods: FxHashMap<ClassKey, Vec<(u16, Option<MethodProfile>)>>,
}

impl Waiting {
    /// Gives the methods of a class that are due their next version.
    pub(crate) fn apply(&self, key: &ClassKey, known: &mut KnownClass) {
        for (method, profile) in self.methods.get(key).into_iter().flatten() {
            *known.versions.entry(*method).or_insert(0) += 1;
            known.profiles.retain(|old| old.method != *method);
            known.profiles.extend(profile.clone());
        }
    }
}

/// What the background thread remembers between two looks.
#[derive(Default)]
pub(crate) struct Watch {
    /// When the last batch was, and how long to wait for the next one.
    last_batch: Option<(Instant, Duration)>,
    last_look: Option<Instant>,
    /// For each first version, by its entry counter: the increments that could have been saved by the last look.
    saveable: FxHashMap<u32, u64>,
    /// For each new version, by its hottest counter: all its increments when it was last looked at, and the hottest one's.
    seen: FxHashMap<u32, (u64, u64)>,
}

/// A method that is due.
struct Due {
    key: ClassKey,
    method: u16,
    profile: Option<MethodProfile>,
    entries: u64,
    /// Increments per entry of the version that is replaced, its entry counter included.
    before: f64,
    /// Increments that need not be executed, per second, at the best.
    gain: f64,
}

impl Agent {
    /// Re-instruments the classes of methods that are due, the most promising ones first.
    pub(crate) fn reinstrument_due_methods(&self, jni: Jni, watch: &mut Watch) {
        let Some(threshold) = self.options.reinstrument else {
            return;
        };
        let (last, pause) = *watch
            .last_batch
            .get_or_insert((Instant::now(), FIRST_PAUSE));
        if last.elapsed() < pause {
            return;
        }
        let due = most_gain(self.due_methods(threshold, watch));
        if due.is_empty() {
            return;
        }
        watch.last_batch = Some((Instant::now(), (pause * 2).min(LONGEST_PAUSE)));
        let mut methods: FxHashMap<ClassKey, Vec<(u16, Option<MethodProfile>)>> =
            FxHashMap::default();
        for method in &due {
            methods
                .entry(method.key.clone())
                .or_default()
                .push((method.method, method.profile.clone()));
        }
        self.reinstrumenting.lock().methods = methods;
        let outcome = jni.with_local_frame(crate::site_sizes::LOCAL_REFERENCES, || {
            self.env.retransform_classes(&self.classes_waiting(jni))
        });
        self.reinstrumenting.lock().methods.clear();
        match outcome {
            Ok(Ok(())) => self.note_new_versions(&due),
            Ok(Err(error)) | Err(error) => self
                .log
                .warn(&format!("methods keep their counters: {error}")),
        }
    }

    /// Methods that were entered often enough, and new versions whose hot path has moved.
    fn due_methods(&self, threshold: u64, watch: &mut Watch) -> Vec<Due> {
        let Some(facts) = self.facts() else {
            return Vec::new();
        };
        let blocks: Vec<_> = self
            .threads
            .rows(&facts.threads)
            .into_iter()
            .map(|(row, _)| row.block)
            .collect();
        let sum = |id: u32| {
            blocks.iter().map(|block| block.counter(id)).sum::<u64>() + self.shared.counter(id)
        };
        let seconds = watch
            .last_look
            .replace(Instant::now())
            .map_or(0.0, |last| last.elapsed().as_secs_f64());
        let mut due = Vec::new();
        for (key, points) in self.registry.profiled() {
            due.extend(match points.entry_counter {
                Some(entry_counter) => {
                    first_version_due(key, &points, entry_counter, threshold, &sum, watch, seconds)
                }
                None => self.moved(key, &points, threshold, &sum, watch, seconds),
            });
        }
        due
    }

    /// Whether a version that was placed for a hot path runs another one by now.
    fn moved(
        &self,
        key: ClassKey,
        points: &ProfilePoints,
        threshold: u64,
        sum: &impl Fn(u32) -> u64,
        watch: &mut Watch,
        seconds: f64,
    ) -> Option<Due> {
        let (hottest, expected_share) = points.hottest?;
        let all = total(points, sum);
        let hot = sum(hottest);
        let (all_before, hot_before) = watch.seen.get(&hottest).copied().unwrap_or((0, 0));
        let recent = all.saturating_sub(all_before);
        if recent < threshold {
            return None;
        }
        watch.seen.insert(hottest, (all, hot));
        let share = ratio(hot.saturating_sub(hot_before), recent);
        let (_, version, _) = self.registry.version(&key, points.method)?;
        if share >= expected_share * SHARE_LOST || version >= MOST_VERSIONS {
            return None;
        }
        let before = points.increments_per_entry;
        let gain = per_second(recent, seconds);
        Some(Due {
            key,
            method: points.method,
            profile: None,
            entries: recent,
            before,
            gain,
        })
    }

    fn classes_waiting(&self, jni: Jni) -> Vec<jclass> {
        let keys: FxHashSet<ClassKey> = self
            .reinstrumenting
            .lock()
            .methods
            .keys()
            .cloned()
            .collect();
        self.loaded(jni, &keys)
    }

    /// The loaded classes with these keys, as local references.
    pub(crate) fn loaded(&self, jni: Jni, keys: &FxHashSet<ClassKey>) -> Vec<jclass> {
        let names: FxHashSet<&[u8]> = keys.iter().map(|key| key.name.as_ref()).collect();
        let Ok(classes) = self.env.loaded_classes() else {
            return Vec::new();
        };
        let mut found = Vec::new();
        for class in classes.iter().copied() {
            let signature = self.env.class_signature(class).unwrap_or_default();
            let name = signature
                .strip_prefix(b"L")
                .and_then(|rest| rest.strip_suffix(b";"))
                .unwrap_or_default();
            let wanted = names.contains(name)
                && keys.contains(&ClassKey {
                    loader: self.loader_id(jni, class),
                    name: name.into(),
                });
            if wanted {
                found.push(class);
            } else {
                jni.delete_local_ref(class);
            }
        }
        found
    }

    fn note_new_versions(&self, due: &[Due]) {
        Cost::add(&self.cost.reinstrumented, due.len() as u64);
        for method in due {
            let Some((id, version, points)) = self.registry.version(&method.key, method.method)
            else {
                continue;
            };
            // A version with a single counter has no points: it is incremented at most once on the way.
            let after = points.map_or(method.before.min(1.0), |points| points.increments_per_entry);
            #[allow(clippy::cast_possible_truncation, reason = "a ratio for people")]
            let (before, after) = (method.before as f32, after as f32);
            self.registry.note(Record::Reinstrumented(Reinstrumented {
                method: id,
                version,
                entries: method.entries,
                before,
                after,
            }));
        }
    }
}

/// A first version that was entered often enough and is hot enough now to be worth the effort.
fn first_version_due(
    key: ClassKey,
    points: &ProfilePoints,
    entry_counter: u32,
    threshold: u64,
    sum: &impl Fn(u32) -> u64,
    watch: &mut Watch,
    seconds: f64,
) -> Option<Due> {
    let entries = sum(entry_counter);
    if entries < threshold {
        return None;
    }
    let increments = entries.saturating_add(total(points, sum));
    // At the best, one counter per entry stays; a method that is left early by most has fewer already.
    let saveable = increments - entries.min(increments / 2);
    let before_this = watch.saveable.insert(entry_counter, saveable).unwrap_or(0);
    let gain = per_second(saveable.saturating_sub(before_this), seconds);
    #[allow(clippy::cast_precision_loss, reason = "an estimate")]
    if gain < GAIN_PER_THRESHOLD * threshold as f64 {
        return None;
    }
    let edges: Vec<(u32, u64)> = points
        .edges
        .iter()
        .map(|(edge, counter)| (*edge, sum(*counter)))
        .collect();
    let profile = MethodProfile {
        method: points.method,
        entries,
        edges,
    };
    Some(Due {
        key,
        method: points.method,
        profile: Some(profile),
        entries,
        before: ratio(increments, entries),
        gain,
    })
}

#[allow(clippy::cast_precision_loss, reason = "an estimate")]
fn per_second(increments: u64, seconds: f64) -> f64 {
    if seconds > 0.0 {
        increments as f64 / seconds
    } else {
        0.0
    }
}

/// Increments of a version's counters; a counter may stand for several edges.
fn total(points: &ProfilePoints, sum: &impl Fn(u32) -> u64) -> u64 {
    let counters: FxHashSet<u32> = points.edges.iter().map(|(_, counter)| *counter).collect();
    counters.into_iter().map(sum).fold(0, u64::saturating_add)
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
