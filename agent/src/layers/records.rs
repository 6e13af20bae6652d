//! `mode=full`: updates of references and calls, in the streams of their threads.
//!
//! The words are written by the helper class (`helper/java/lang/DuckTrackRecords.java`); here is what it needs: the form of references, a clock, and holders that are empty
//! when a collection begins.

pub(crate) mod record_helper;
pub(crate) mod store_records;

use std::sync::OnceLock;

use ducktrack_class_rewriter::Calls;
use ducktrack_hotspot::{Address, ReferenceForm};
use ducktrack_jvmti::Jni;
use ducktrack_jvmti::sys::jobject;
use ducktrack_trace_format::{Record, ReferenceLayout};
use parking_lot::Mutex;

use crate::core::Core;
use crate::layers::roots::Roots;
use crate::native_code::jni_table;
use crate::options::Mode;
use crate::recording::NativeStore;
use crate::trace::buffers::record_clock::RecordClock;

/// References of a holder.
const SLOTS: usize = 3;
/// The lowest bits of a global reference say that it is one.
const TAG: usize = 3;

/// The state of the recording.
#[derive(Default)]
pub(crate) struct Records {
    /// Set when everything works; then code is given probes.
    holders: OnceLock<Holders>,
    clock: Mutex<Option<RecordClock>>,
    calls: OnceLock<Calls>,
}

impl Records {
    /// Everything that records need, before classes are rewritten; `address` finds an object.
    ///
    /// # Errors
    /// Why there can be none: one sentence.
    pub(crate) fn begin(
        &self,
        core: &Core,
        jni: Jni,
        form: Option<ReferenceForm>,
        address: impl Fn(jobject) -> Option<Address>,
    ) -> Result<(), String> {
        if core.options.mode != Mode::Full {
            return Ok(());
        }
        let form = form.ok_or("how the VM keeps references is not known")?;
        let facts = core.facts().ok_or("the VM is not known")?;
        let array = record_helper::define_once(jni, form, address)?;
        *self.clock.lock() = Some(RecordClock::start()?);
        let (base, shift) = form.encoding();
        core.registry.note(Record::ReferenceLayout(ReferenceLayout {
            base: base as u64,
            // Less than 16.
            shift: shift as u8,
        }));
        jni_table::want_stores();
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

    /// Calls of which methods are recorded; `None`: there are no records.
    pub(crate) fn calls(&self) -> Option<Calls> {
        self.holders.get().and(self.calls.get()).copied()
    }

    /// Native code is about to store a reference.
    pub(crate) fn stored_by_native(
        &self,
        core: &Core,
        jni: Jni,
        store: NativeStore,
        roots: &Roots,
    ) {
        let (Some(_), Some(facts)) = (self.holders.get(), core.facts()) else {
            return;
        };
        let number = |class, field| roots.number(core, jni, class, field);
        if store_records::record_store(jni, facts, store, number).is_none() {
            record_helper::note_unseen();
        }
    }

    /// The world has stopped for a collection: holders keep nothing alive. So many threads may have one.
    pub(crate) fn empty_holders(&self, threads: usize) {
        if let Some(holders) = self.holders.get() {
            holders.empty(threads);
        }
    }

    /// The recording is over.
    pub(crate) fn end(&self, core: &Core) {
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
