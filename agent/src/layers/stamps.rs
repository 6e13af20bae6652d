//! `mode=deaths`: last uses of objects, losses of references, and the references of dead objects, for exact death times.
//!
//! ```text
//! program's code: uses an object, overwrites a reference ── position ──> the object's words of two shadows
//! VM thread:      collection ── words and references of the dead ──> block STAMPS before the collection's block
//!                            ── survivors: their words move with them
//!                            ── every position + 1
//! ```
//!
//! A position is a thread and its progress in its event stream. So a use is recorded by a single word, and only dead objects are read.
//! Words are never cleared: the words of a new object may belong to an earlier one at its address, which the trace's reader determines by
//! the epoch of its birth.
//!
//! If this is impossible, the trace says why, and the recording continues as `mode=trace`.

pub(crate) mod hint_speed;
pub(crate) mod shadows;
pub(crate) mod witness_helper;
pub(crate) mod witness_memory;

use std::sync::{Arc, OnceLock};

use ducktrack_hotspot::{Address, DeadRecorder, HeldReference, Shadow, SurvivorList};
use ducktrack_jvmti::Jni;
use ducktrack_jvmti::sys::jobject;
use ducktrack_trace_format::{DeadEncoder, ThreadId, encode_stamps};
use parking_lot::Mutex;

use crate::core::Core;
use crate::core::field_offsets;
use crate::layers::uses::use_helper;
use crate::options::SelfCheck;
use crate::trace::buffers::ThreadBuffers;
use crate::trace::buffers::event_buffer;
use shadows::Shadows;
use witness_helper::WitnessConstants;

/// A note for all readers of the trace.
const EFFECT: &str = "Uses of objects were stamped (mode=deaths, mode=full): the JIT removes no object whose use is stamped, so more objects reach the heap than without stamps.";

/// A stamp of an array of references takes less: 1,700 to 2,100 were measured as one store, and 11,000 as a call of a native method.
const MOST_PICOSECONDS: u64 = 5000;

/// The state of the recording.
#[derive(Default)]
pub(crate) struct Witness {
    /// Set once everything works; code is then given probes.
    shadows: Arc<OnceLock<Shadows>>,
    /// Why there are no witnesses, once that is known.
    refused: Mutex<Option<String>>,
}

impl Witness {
    /// The recorder of dead objects. Called before anything else exists.
    pub(crate) fn recorder(&self) -> Box<dyn DeadRecorder> {
        Box::new(Recorder {
            shadows: Arc::clone(&self.shadows),
            dead: DeadEncoder::default(),
        })
    }

    /// Sets why there are no witnesses.
    pub(crate) fn note_refusal(&self, why: Option<String>) {
        *self.refused.lock() = why;
    }

    /// Prepares everything that stamps need, before classes are rewritten. `address` finds an object.
    ///
    /// # Errors
    /// One sentence that says why there are no witnesses.
    pub(crate) fn begin(
        &self,
        core: &Core,
        jni: Jni,
        heap: Option<(Address, usize)>,
        address: impl Fn(jobject) -> Option<Address>,
    ) -> Result<(), String> {
        let heap =
            heap.ok_or("moves of objects are unknown, so uses cannot be assigned to objects")?;
        if let Some(why) = self.refused.lock().take() {
            return Err(why);
        }
        event_buffer::set_shared_position(core.shared, 0);
        let memory = witness_memory::of_process();
        let shadows = memory.empty_shadows(heap)?;
        let fields = field_offsets::offsets()?;
        if !core.facts().is_some_and(field_offsets::can_be_found) {
            core.add_note("Overwritten references in fields of objects that were not used just before are not seen in this VM.".to_owned());
        }
        memory.define_once(|| {
            let hints = hints_of(core, jni, &shadows.used);
            if let Err(why) = &hints {
                core.add_note(format!(
                    "Uses of arrays of references cost more in this VM: {why}."
                ));
            }
            let hints = hints.is_ok();
            witness_helper::define_and_try(
                jni,
                WitnessConstants {
                    shadows,
                    hints,
                    fields,
                },
                address,
            )
        })?;
        // A run begins once.
        let _ = self.shadows.set(shadows);
        core.add_note(EFFECT.to_owned());
        Ok(())
    }

    /// Advances the position of threads without a block, after a pause.
    pub(crate) fn advance(&self, core: &Core, epoch: u32) {
        if self.is_on() {
            event_buffer::set_shared_position(core.shared, epoch);
        }
    }

    /// Whether code is given probes.
    pub(crate) fn is_on(&self) -> bool {
        self.shadows.get().is_some()
    }

    /// What a pause that is about to end reports about its collections.
    pub(crate) fn of_pause(&self, buffers: &ThreadBuffers) -> PauseStamps {
        let is_on = self.is_on();
        PauseStamps {
            is_on,
            threads: match is_on {
                true => buffers.positions(),
                false => Vec::new(),
            },
        }
    }
}

/// Defines what hides from C2 that an object is an array of references, and tries how fast a stamp then is.
///
/// # Errors
/// Why it is not used: half a sentence.
fn hints_of(core: &Core, jni: Jni, shadow: &Shadow) -> Result<(), String> {
    let failing = core.options.failing_check;
    if failing == Some(SelfCheck::Hints) || !use_helper::define_hints(jni) {
        return Err("the compiler cannot be told their type".to_owned());
    }
    let most = match failing {
        Some(SelfCheck::Speed) => 0,
        _ => MOST_PICOSECONDS,
    };
    let took = hint_speed::of_stamps(jni, shadow);
    match took.map_err(|error| format!("the compiler's hints do not work: {error}"))? {
        Some(took) if took > most => Err(format!(
            "a stamp that should take less than {most} ps takes {took} ps"
        )),
        _ => Ok(()),
    }
}

/// Records dead objects for the trace.
#[derive(Debug)]
struct Recorder {
    shadows: Arc<OnceLock<Shadows>>,
    dead: DeadEncoder,
}

impl DeadRecorder for Recorder {
    fn dead(&mut self, object: Address, references: &[HeldReference]) {
        let Some(shadows) = self.shadows.get() else {
            return;
        };
        let slots = references.iter().map(|held| {
            // Fits even for the longest array: 2^31 elements of 8 bytes.
            let slot = u32::try_from(held.offset / 4).unwrap_or(u32::MAX);
            (slot, held.target.0 as u64)
        });
        // Positions count bytes; the trace counts words.
        let moments = [shadows.used, shadows.lost].map(|shadow| shadow.stamp(object) >> 2);
        self.dead
            .push(object.0 as u64, (moments[0], moments[1]), slots);
    }

    fn take(&mut self) -> Vec<Vec<u8>> {
        self.dead.take()
    }

    fn survived(&mut self, survivors: &SurvivorList) {
        let Some(shadows) = self.shadows.get() else {
            return;
        };
        let moved = survivors.iter().filter(|survivor| survivor.moved());
        let moves = moved.map(|survivor| (survivor.from, survivor.to));
        shadows.used.carry(moves.clone());
        shadows.lost.carry(moves);
    }
}

/// The blocks of one pause.
pub(crate) struct PauseStamps {
    is_on: bool,
    /// The positions of threads, written once.
    threads: Vec<(ThreadId, u64)>,
}

impl PauseStamps {
    /// Writes the stamps of the objects that the next collection found dead, before that collection. `dead` is `None` if they are unknown.
    pub(crate) fn write(&mut self, buffers: &ThreadBuffers, dead: Option<Vec<Vec<u8>>>) {
        if !self.is_on {
            return;
        }
        for part in dead.unwrap_or_else(|| vec![Vec::new()]) {
            let threads = std::mem::take(&mut self.threads);
            let content = encode_stamps(buffers.epoch(), &threads, &part);
            buffers.log().stamps(content);
        }
    }
}
