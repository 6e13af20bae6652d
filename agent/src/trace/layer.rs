//! Optional additions to a recording of events. The layers of a mode stand on each other: where one
//! does not work, those after it are left out, and the recording continues with the ones before.

use std::sync::atomic::AtomicU64;

use ducktrack_hotspot::{Address, CollectionReport, DeadRecorder, Shadow, ShadowedHeap};
use ducktrack_jvmti::Jni;
use ducktrack_jvmti::sys::jobject;

use super::buffers::ThreadBuffers;
use super::collections::before_collection::BeforeCollection;
use crate::core::Core;
use crate::helper_classes::event_helper::EventHelper;
use crate::options::Mode;
use crate::recording::Probes;

/// A layer of a recording of events. By default, hooks do nothing.
pub(crate) trait Layer: Send + Sync {
    /// The recorder of dead objects, if it has one. Called before anything else.
    fn dead_recorder(&self) -> Option<Box<dyn DeadRecorder>> {
        None
    }

    /// The least mode that has it.
    fn mode(&self) -> Mode {
        Mode::Trace
    }

    /// Prepares everything that its probes need, before classes are rewritten. Returns whether it works; if not, the trace says why.
    fn begin(&'static self, start: &LayerStart<'_>) -> bool;

    /// Adds its probes.
    fn add_probes(&self, probes: &mut Probes) {
        let _ = probes;
    }

    /// The world has stopped for a collection. Must not call the VM.
    fn pause_begins(&self, buffers: &ThreadBuffers) {
        let _ = buffers;
    }

    /// The collections of the pause are over: adds what it knows of the time before them. Must not call the VM.
    fn read_pause(
        &self,
        buffers: &ThreadBuffers,
        reports: &[CollectionReport],
        before: &mut BeforeCollection,
    ) {
        let _ = (buffers, reports, before);
    }

    /// The pause is about to end, after this many collections. Must not call the VM.
    fn pause_ends(&self, core: &Core, epoch: u32) {
        let _ = (core, epoch);
    }

    /// Called on the agent's own thread, four times a second.
    fn tick(&self, core: &Core, buffers: &ThreadBuffers) {
        let _ = (core, buffers);
    }

    /// The program has ended and the VM still runs.
    fn program_ended(&self, core: &Core, jni: Jni, buffers: &ThreadBuffers) {
        let _ = (core, jni, buffers);
    }

    /// The recording is over.
    fn end(&self, core: &Core) {
        let _ = core;
    }
}

/// The arguments of a layer's start.
#[derive(Clone, Copy)]
pub(crate) struct LayerStart<'a> {
    pub(crate) core: &'a Core,
    pub(crate) jni: Jni,
    pub(crate) helper: &'static EventHelper,
    /// The heap as a shadow of it must be, or why uses cannot be recorded.
    pub(crate) shadowed: Result<&'a ShadowedHeap, &'static str>,
    /// Called once uses are stamped in this shadow with the value of this clock.
    pub(crate) uses_begin: &'a dyn Fn(Shadow, &'static AtomicU64),
    /// The reserved heap, if moves are known and collections end in their pauses.
    pub(crate) heap: Option<(Address, usize)>,
    /// Why dead objects cannot be recorded.
    pub(crate) dead_refusal: Option<&'a str>,
}

impl LayerStart<'_> {
    /// Where an object is.
    pub(crate) fn address(&self, object: jobject) -> Option<Address> {
        self.helper.address_of(self.jni, object)
    }

    /// Says that the recording continues as one of a lesser mode.
    pub(crate) fn continue_as(&self, lesser: Mode, why: &str) {
        let line = format!(
            "mode={} is off, and the recording continues as mode={}: {why}.",
            self.core.options.mode.word(),
            lesser.word()
        );
        self.core.log.warn(&line);
        self.core.notes.add(line);
    }
}
