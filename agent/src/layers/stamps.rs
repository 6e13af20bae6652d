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

use ducktrack_class_rewriter::Stamps as Probe;
use ducktrack_hotspot::{
    Address, CollectionReport, DeadRecorder, HeldReference, JvmFlags, Shadow, SurvivorList,
};
use ducktrack_jvmti::Jni;
use ducktrack_probe_vocabulary::helper::witness;
use ducktrack_trace_format::{DeadEncoder, Run};

use crate::core::Core;
use crate::core::field_offsets;
use crate::layers::self_check::checked_address;
use crate::layers::uses::use_helper;
use crate::options::{Mode, SelfCheck};
use crate::recording::Probes;
use crate::trace::buffers::ThreadBuffers;
use crate::trace::buffers::event_buffer;
use crate::trace::collections::before_collection::BeforeCollection;
use crate::trace::layer::{Layer, LayerStart};
use shadows::Shadows;
use witness_helper::WitnessConstants;

/// A note for all readers of the trace.
const EFFECT: &str = "Uses of objects were stamped (mode=deaths, mode=full): the JIT removes no object whose use is stamped, so more objects reach the heap than without stamps.";

/// A stamp of an array of references takes less: 1,700 to 2,100 were measured as one store, and 11,000 as a call of a native method.
const MOST_PICOSECONDS: u64 = 5000;

/// The layer.
#[derive(Default)]
pub(crate) struct Stamps {
    /// Set once everything works; code is then given probes.
    shadows: Arc<OnceLock<Shadows>>,
}

impl Layer for Stamps {
    fn mode(&self) -> Mode {
        Mode::Deaths
    }

    fn dead_recorder(&self) -> Option<Box<dyn DeadRecorder>> {
        Some(Box::new(Recorder {
            shadows: Arc::clone(&self.shadows),
            dead: DeadEncoder::default(),
        }))
    }

    fn begin(&'static self, start: &LayerStart<'_>) -> bool {
        let prepared = prepare(start);
        match &prepared {
            Ok(shadows) => {
                // A run begins once.
                let _ = self.shadows.set(*shadows);
                start.core.add_note(EFFECT.to_owned());
                if strings_are_deduplicated() {
                    start.core.add_note(Run::DEDUPLICATED_STRINGS.to_owned());
                }
            }
            Err(why) => start.continue_as(Mode::Trace, why),
        }
        prepared.is_ok()
    }

    fn add_probes(&self, probes: &mut Probes) {
        probes.helpers.push(witness::CLASS);
        probes.stamps = Probe::Witness;
    }

    fn read_pause(
        &self,
        buffers: &ThreadBuffers,
        _: &[CollectionReport],
        before: &mut BeforeCollection,
    ) {
        before.positions = Some(buffers.positions());
    }

    /// Advances the position of threads without a block.
    fn pause_ends(&self, core: &Core, epoch: u32) {
        event_buffer::set_shared_position(core.shared, epoch);
    }
}

/// Whether the VM gives equal strings one array (`-XX:+UseStringDeduplication`).
fn strings_are_deduplicated() -> bool {
    JvmFlags::of_process().is_ok_and(|flags| flags.is_on("UseStringDeduplication"))
}

/// Prepares everything that stamps need.
///
/// # Errors
/// Why there can be none: one sentence.
fn prepare(start: &LayerStart<'_>) -> Result<Shadows, String> {
    let (core, jni) = (start.core, start.jni);
    let heap = start
        .heap
        .ok_or("moves of objects are unknown, so uses cannot be assigned to objects")?;
    if let Some(why) = start.dead_refusal {
        return Err(why.to_owned());
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
        let constants = WitnessConstants {
            shadows,
            hints: hints.is_ok(),
            fields,
        };
        let address = |object| checked_address(SelfCheck::Stamp, start, object);
        witness_helper::define_and_try(jni, constants, address)
    })?;
    Ok(shadows)
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
