//! Sets references to null whose targets have not been used for long, and looks at what the program still does with those.
//!
//! With `remove=never` it only looks: collections after a look are dearer (the
//! walk has emptied the processor's caches), so base trials look as well.

use std::time::{Duration, Instant};

use ducktrack_hotspot::Address;
use ducktrack_jvmti::sys::jobject;
use ducktrack_jvmti::{Capabilities, Capability, Env, Error, Jni};
use ducktrack_trace_format::{Removal, Trial as TrialRecord, may_lose_references};
use parking_lot::Mutex;

use super::marked_sources::{MOST_PAIRS, PairBits, PairClasses, held, holds, marked_sources};
use super::tracked_objects::{Known, TrackedObjects, UseWords, WeakReference};
use crate::options::{RemoveAt, TrialChoices, TypePair};
use crate::process::clock::nanos;
use crate::process::thread_clock::thread_cpu;

/// Looks may take this part of the time between two.
const MOST_OF_THE_TIME: u32 = 3;
/// Until looks have taken this long together, they follow each other: in a program
/// that runs for half a second there would be four, and hardly anything be removed.
const FREE_LOOKS: Duration = Duration::from_secs(1);
/// Looks in the time in which an object becomes stale.
const LOOKS_UNTIL_STALE: u32 = 4;
/// The memory counts as full when a collection leaves this share of the largest heap in use.
const FULL: f64 = 0.8;
/// How often an object is asked that a collection moves meanwhile.
const TRIES: u32 = 3;
/// Local references of a look, at first.
const REFERENCES: usize = 256;

/// Removes, and counts what it has removed.
pub(super) struct Remover {
    pairs: Vec<TypePair>,
    at: RemoveAt,
    after: u32,
    outcomes: Vec<Removal>,
    was_full: bool,
    last_clock: u64,
    last: Option<(Instant, Duration)>,
    /// The time that all looks have taken together.
    took: Duration,
    looks: u64,
    stopped_for: Duration,
    cpu: Duration,
}

/// The input of one look.
struct Look<'a> {
    /// The environment of the look's own tags.
    env: Env,
    jni: Jni,
    uses: &'a dyn UseWords,
    address: &'a dyn Fn(jobject) -> Option<Address>,
    removes: bool,
    tracked: &'a Mutex<TrackedObjects>,
}

impl Look<'_> {
    /// Where an object is, and its word there. `None`: collections move it too often.
    fn word_of(&self, object: jobject) -> Option<(Address, u64)> {
        for _ in 0..TRIES {
            let place = (self.address)(object)?;
            let word = self.uses.word(place);
            if (self.address)(object)? == place {
                return Some((place, word));
            }
        }
        None
    }
}

impl Remover {
    /// Why some pairs of a trial are left alone.
    pub(super) fn refusal(choices: &TrialChoices) -> Option<String> {
        let mut pairs = choices.pairs.iter();
        let pair = pairs.find(|pair| !may_lose_references(&pair.source))?;
        Some(format!(
            "References of {} are not removed: the VM, its intrinsics or native code may read its fields.",
            pair.readable_source()
        ))
    }

    pub(super) fn new(choices: &TrialChoices) -> Result<Self, String> {
        if choices.pairs.len() > MOST_PAIRS {
            return Err(format!(
                "at most {MOST_PAIRS} pairs can be removed in a run"
            ));
        }
        let outcomes = choices.pairs.iter().map(|pair| Removal {
            source: pair.readable_source(),
            target: pair.readable_target(),
            ..Removal::default()
        });
        Ok(Self {
            outcomes: outcomes.collect(),
            pairs: choices.pairs.clone(),
            at: choices.at,
            after: choices.after,
            was_full: false,
            last_clock: 0,
            last: None,
            took: Duration::ZERO,
            looks: 0,
            stopped_for: Duration::ZERO,
            cpu: Duration::ZERO,
        })
    }

    /// Whether to look now: not if there was no collection since, or looks took too much of the time.
    pub(super) fn is_due(&mut self, uses: &dyn UseWords, used_share: f64) -> bool {
        let became_full = !self.was_full && used_share >= FULL;
        self.was_full |= became_full;
        let clock = uses.now();
        let wanted = u64::from((self.after / LOOKS_UNTIL_STALE).max(1));
        let is_due = became_full || clock >= self.last_clock + wanted && self.has_time();
        if is_due {
            self.last_clock = clock;
        }
        is_due
    }

    /// Looks.
    pub(super) fn look_now(
        &mut self,
        jni: Jni,
        uses: &dyn UseWords,
        address: &dyn Fn(jobject) -> Option<Address>,
        tracked: &Mutex<TrackedObjects>,
    ) -> Result<(), Error> {
        let (begun, cpu) = (Instant::now(), thread_cpu());
        let env = tagging_environment(jni)?;
        let look = Look {
            env,
            jni,
            uses,
            address,
            removes: self.at == RemoveAt::Stale || self.at == RemoveAt::Oom && self.was_full,
            tracked,
        };
        let done = jni.with_local_frame(REFERENCES, || self.look(&look));
        // SAFETY: the environment was made for this look, and no copy is left.
        let disposed = unsafe { env.dispose() };
        self.looks += 1;
        self.cpu += thread_cpu().saturating_sub(cpu);
        let took = begun.elapsed();
        self.took += took;
        self.last = Some((begun, took));
        done?.and(disposed)
    }

    fn has_time(&self) -> bool {
        let last = self.last.filter(|_| self.took >= FREE_LOOKS);
        last.is_none_or(|(begun, took)| begun.elapsed() >= took * MOST_OF_THE_TIME)
    }

    fn look(&mut self, look: &Look<'_>) -> Result<(), Error> {
        let dropped = look.tracked.lock().take_dropped();
        for reference in dropped {
            reference.forget(look.jni);
        }
        let classes = PairClasses::tag(look.env, look.jni, &self.pairs)?;
        self.outcomes.iter_mut().for_each(|pair| pair.seen = 0);
        if !classes.has_pair() {
            return Ok(());
        }
        let begun = Instant::now();
        let sources = marked_sources(look.env)?;
        // The VM's own thread has walked, while the program stood still.
        self.stopped_for += begun.elapsed();
        self.cpu += begun.elapsed();
        for source in sources.iter().copied() {
            self.go_through(look, &classes, source)?;
            look.jni.delete_local_ref(source);
        }
        Ok(())
    }

    fn go_through(
        &mut self,
        look: &Look<'_>,
        classes: &PairClasses,
        source: jobject,
    ) -> Result<(), Error> {
        let (env, jni) = (look.env, look.jni);
        let pairs = holds(env.tag(source)?);
        let nothing = std::ptr::null_mut();
        let fields = classes.fields_of(env, jni, source);
        for field in fields {
            let target = jni.object_field(source, field.id);
            if self.is_removed(look, pairs, target, field.is_final)? {
                jni.set_object_field(source, field.id, nothing);
            }
            jni.delete_local_ref(target);
        }
        if !fields.is_empty() || !self.is_array_of(pairs) {
            return Ok(());
        }
        let length = i32::try_from(jni.array_length(source)?).unwrap_or(i32::MAX);
        for at in 0..length {
            let target = jni.object_array_element(source, at)?;
            if self.is_removed(look, pairs, target, false)? {
                jni.set_object_array_element(source, at, nothing)?;
            }
            jni.delete_local_ref(target);
        }
        Ok(())
    }

    fn is_array_of(&self, pairs: PairBits) -> bool {
        let all = self.pairs.iter().enumerate();
        all.filter(|(at, _)| pairs & (1 << at) != 0)
            .any(|(_, pair)| pair.source.starts_with('['))
    }

    /// Whether a reference to an object goes; counts it.
    fn is_removed(
        &mut self,
        look: &Look<'_>,
        sources: PairBits,
        target: jobject,
        is_final: bool,
    ) -> Result<bool, Error> {
        if target.is_null() {
            return Ok(false);
        }
        let pairs = sources & held(look.env.tag(target)?);
        if pairs == 0 {
            return Ok(false);
        }
        let pair = pairs.trailing_zeros() as usize;
        self.outcome(pair).seen += 1;
        if self.at == RemoveAt::Never {
            return Ok(false);
        }
        let Some((place, word)) = look.word_of(target) else {
            return Ok(false);
        };
        let known = look.tracked.lock().known(place, word);
        match known {
            Known::Removed => {}
            Known::UnusedSince(clock) if self.goes(look, pair, clock) => {
                look.tracked.lock().note_removed(word);
                let bytes = u64::try_from(look.env.object_size(target)?).unwrap_or(0);
                let outcome = self.outcome(pair);
                outcome.objects += 1;
                outcome.bytes += bytes;
            }
            Known::UnusedSince(_) => return Ok(false),
            Known::New => {
                let reference = WeakReference::new(look.jni.new_weak_global_ref(target)?);
                let mut tracked = look.tracked.lock();
                tracked.track(look.uses, (place, word), pair, reference);
                return Ok(false);
            }
        }
        let outcome = self.outcome(pair);
        outcome.references += 1;
        outcome.finals += u64::from(is_final);
        Ok(true)
    }

    /// Whether references go to an object that was not used since this clock.
    fn goes(&self, look: &Look<'_>, pair: usize, clock: u64) -> bool {
        let is_used = look.tracked.lock().used_again(pair) > 0;
        look.removes && !is_used && look.uses.now().saturating_sub(clock) >= u64::from(self.after)
    }

    fn outcome(&mut self, pair: usize) -> &mut Removal {
        &mut self.outcomes[pair]
    }

    pub(super) fn say(&self, record: &mut TrialRecord, tracked: &TrackedObjects) {
        record.looks = self.looks;
        record.stopped_nanos += nanos(self.stopped_for);
        record.look_cpu_nanos += nanos(self.cpu);
        if self.at == RemoveAt::Never {
            return;
        }
        record.removals.clone_from(&self.outcomes);
        for (pair, removal) in record.removals.iter_mut().enumerate() {
            let afterlife = tracked.afterlife(pair);
            removal.used_again = afterlife.used_again;
            removal.still_held = afterlife.alive;
        }
    }
}

fn tagging_environment(jni: Jni) -> Result<Env, Error> {
    let (env, _) = jni.vm()?.jvmti()?;
    env.add_capabilities(&Capabilities::of(&[Capability::CanTagObjects]))?;
    Ok(env)
}
