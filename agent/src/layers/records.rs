//! `mode=full`: updates of references and calls, in the streams of their threads.
//!
//! The words are written by the helper class (`helper/java/lang/DuckTrackRecords.java`); here is what
//! it needs: the form of references, a clock, and holders that are empty when a collection begins.

pub(crate) mod record_helper;
pub(crate) mod store_records;

use std::sync::{Arc, OnceLock};

use ducktrack_class_rewriter::{Calls, Stamps};
use ducktrack_hotspot::{Address, JvmFlags, ReferenceForm, VmStructs};
use ducktrack_jvmti::Jni;
use ducktrack_probe_vocabulary::helper;
use ducktrack_trace_format::{Record, ReferenceLayout};
use parking_lot::Mutex;

use crate::core::Core;
use crate::layers::self_check::checked_address;
use crate::layers::static_numbers::StaticNumbers;
use crate::native_code::native_store::{self, NativeStore, StoreRecorder};
use crate::options::{Mode, SelfCheck};
use crate::recording::Probes;
use crate::trace::buffers::ThreadBuffers;
use crate::trace::buffers::record_clock::RecordClock;
use crate::trace::layer::{Layer, LayerStart};

/// References of a holder.
const SLOTS: usize = 3;
/// The lowest bits of a global reference say that it is one.
const TAG: usize = 3;

/// The layer.
pub(crate) struct Records {
    /// Set when everything works; then code is given probes.
    holders: OnceLock<Holders>,
    clock: Mutex<Option<RecordClock>>,
    calls: OnceLock<Calls>,
    numbers: Arc<StaticNumbers>,
}

impl Records {
    /// `numbers`: of static fields.
    pub(crate) fn new(numbers: Arc<StaticNumbers>) -> Self {
        Self {
            holders: OnceLock::new(),
            clock: Mutex::default(),
            calls: OnceLock::new(),
            numbers,
        }
    }

    /// Everything that records need.
    ///
    /// # Errors
    /// Why there can be none: one sentence.
    fn prepare(&self, start: &LayerStart<'_>) -> Result<(), String> {
        let core = start.core;
        let form = reference_form().ok_or("how the VM keeps references is not known")?;
        let facts = core.facts().ok_or("the VM is not known")?;
        let address = |object| checked_address(SelfCheck::Identity, start, object);
        let array = record_helper::define_once(start.jni, form, address)?;
        *self.clock.lock() = Some(RecordClock::start()?);
        let (base, shift) = form.encoding();
        core.registry.note(Record::ReferenceLayout(ReferenceLayout {
            base: base as u64,
            // Less than 16.
            shift: shift as u8,
        }));
        // A run begins once.
        let _ = self.calls.set(core.options.calls.unwrap_or_default());
        let [.., first] = facts.layout.array_base;
        let _ = self.holders.set(Holders {
            array,
            form,
            first: first.into(),
        });
        Ok(())
    }
}

impl Layer for Records {
    fn mode(&self) -> Mode {
        Mode::Full
    }

    fn begin(&'static self, start: &LayerStart<'_>) -> bool {
        let prepared = self.prepare(start);
        match &prepared {
            Ok(()) => native_store::record_stores(self),
            Err(why) => start.continue_as(Mode::Deaths, why),
        }
        prepared.is_ok()
    }

    fn add_probes(&self, probes: &mut Probes) {
        probes.helpers.extend([
            helper::records::CLASS,
            helper::copies::CLASS,
            helper::unsafe_updates::CLASS,
            helper::methods::CLASS,
        ]);
        probes.stamps = Stamps::Records(self.calls.get().copied().unwrap_or_default());
    }

    /// Holders keep nothing alive.
    fn pause_begins(&self, buffers: &ThreadBuffers) {
        if let Some(holders) = self.holders.get() {
            holders.empty(buffers.count());
        }
    }

    fn end(&self, core: &Core) {
        native_store::record_no_stores();
        if let Some(mut clock) = self.clock.lock().take() {
            clock.stop();
        }
        let unseen = record_helper::take_unseen();
        if unseen > 0 {
            core.add_note(format!(
                "{unseen} updates of references are not recorded: where their fields are could not be found."
            ));
        }
        let without_stack = record_helper::take_without_stack();
        if without_stack > 0 {
            core.add_note(format!(
                "{without_stack} updates and calls are not recorded: the thread's stack ended there."
            ));
        }
    }
}

impl StoreRecorder for Records {
    fn stored(&self, core: &Core, jni: Jni, store: NativeStore) {
        let Some(facts) = core.facts() else { return };
        let number = |class, field| self.numbers.of_field(core, jni, class, field);
        if store_records::record_store(jni, facts, store, number).is_none() {
            record_helper::note_unseen();
        }
    }
}

fn reference_form() -> Option<ReferenceForm> {
    let vm = VmStructs::load().ok()?;
    let flags = JvmFlags::load(&vm).ok()?;
    ReferenceForm::load(&vm, &flags).ok()
}

/// The array of the holders of all threads.
#[derive(Clone, Copy, Debug)]
struct Holders {
    /// A global reference.
    array: usize,
    form: ReferenceForm,
    /// Where the first element of an array of references is.
    first: usize,
}

impl Holders {
    /// Makes all references in the first of the holders null.
    fn empty(&self, threads: usize) {
        let handle = Address(self.array & !TAG);
        // SAFETY: a global reference is the address of a word with the object's address, which no collection changes now.
        let array: Address = unsafe { handle.read() };
        // Number 0 is that of threads without a buffer.
        for number in 0..=threads.min(record_helper::MOST_HOLDERS - 1) {
            let element = array.plus(self.first + number * self.form.size());
            // SAFETY: the array has this element, which is a reference.
            let holder = unsafe { self.form.read(element) };
            if holder.is_null() {
                continue;
            }
            for slot in 0..SLOTS {
                let place = holder.plus(self.first + slot * self.form.size());
                // SAFETY: a holder is an array of this length, and nothing but the helper reads it, as a number.
                unsafe { self.form.clear(place) };
            }
        }
    }
}
