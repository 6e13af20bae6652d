//! The helper classes in the VM that each recording needs: defined, given their natives, initialized, tried.
//!
//! Their bytes are checked in beside `helper/DuckTrack.class`; `scripts/build-helper` is the recipe.

use ducktrack_jvmti::sys::{jclass, jmethodID, jobject, jvalue};
use ducktrack_jvmti::{Error, Jni};
use ducktrack_probe_vocabulary::fact::Fact;
use ducktrack_probe_vocabulary::helper::{
    callers, counting, keyed, materialized, sizes, stack, stack_trace,
};

use crate::core::vm_facts::VmFacts;
use crate::count::call_totals::CallTotals;
use crate::helper_classes::definition::{self, HelperFile, helper_file, method};
use crate::threads::counter_block::{KEYED_BYTES, KEYED_OFFSET, ROW};
use crate::trace::event_tables::{EventTables, SeenClasses};

const COUNTING: HelperFile = helper_file!("DuckTrack", counting::SLOT);
const SIZES: HelperFile = helper_file!("DuckTrackSizes", sizes::KIND);
const STACK: HelperFile = helper_file!("DuckTrackStack", stack::CLAIM);
const CALLERS: HelperFile = helper_file!("DuckTrackCallers", callers::NOTE_CALL_SITE);
const STACK_TRACE: HelperFile = helper_file!("DuckTrackStackTrace", stack_trace::PART);
const KEYED: HelperFile = helper_file!("DuckTrackKeyed", keyed::OBJECT);
const MATERIALIZED: HelperFile = helper_file!("DuckTrackMaterialized", materialized::BEFORE);

/// Handles to the helper class.
pub(crate) struct HelperClass {
    class: jclass,
    keyed: jclass,
    set_slot: jmethodID,
    klass_of: jmethodID,
    count: jmethodID,
    count_object: jmethodID,
    slot: jmethodID,
    made: jmethodID,
}

// SAFETY: the class is a global reference and method ids are valid in every thread.
unsafe impl Send for HelperClass {}
// SAFETY: no method changes a field; the VM synchronizes calls through the ids itself.
unsafe impl Sync for HelperClass {}

impl HelperClass {
    /// Defines the class in the boot loader and initializes it; the natives answer from the agent's facts by then.
    pub(crate) fn define(jni: Jni) -> Result<Self, Error> {
        let files = [COUNTING, SIZES, STACK, CALLERS, STACK_TRACE, KEYED];
        let [class, _, _, _, _, keyed] = definition::define(jni, files)?;
        Ok(Self {
            set_slot: method(jni, class, counting::SET_SLOT)?,
            klass_of: method(jni, class, counting::KLASS_OF)?,
            count: method(jni, class, counting::COUNT)?,
            count_object: method(jni, keyed, keyed::BY_CLASS)?,
            slot: method(jni, class, counting::SLOT)?,
            made: method(jni, keyed, keyed::MADE)?,
            keyed,
            class,
        })
    }

    /// Defines the class that probes call with `materialized=on`.
    pub(crate) fn define_materialized(jni: Jni) -> Result<(), Error> {
        definition::define(jni, [MATERIALIZED]).map(|_| ())
    }

    /// Calls every native once. The VM looks for a native at its first call, by Java code that allocates: that must be over
    /// before any code counts what it allocates.
    pub(crate) fn link_natives(&self, jni: Jni) -> Result<(), Error> {
        let first_seen = method(jni, self.class, counting::FIRST_SEEN)?;
        jni.call_static_void(
            self.class,
            first_seen,
            &[jvalue { l: self.class }, jvalue { j: 0 }],
        )?;
        let inherits_clone = method(jni, self.class, counting::INHERITS_CLONE)?;
        jni.call_static_boolean(self.class, inherits_clone, &[jvalue { l: self.class }])?;
        // The block that threads share does not grow.
        let grow = method(jni, self.keyed, keyed::GROW)?;
        jni.call_static_void(self.keyed, grow, &[jvalue { j: 0 }])?;
        let rewrite_hidden = method(jni, self.class, counting::REWRITE_HIDDEN)?;
        let empty = jni.new_byte_array(&[])?;
        let same = jni.call_static_object(self.class, rewrite_hidden, &[jvalue { l: empty }])?;
        jni.delete_local_ref(same);
        jni.delete_local_ref(empty);
        Ok(())
    }

    /// Counts one in the current thread, as rewritten code would.
    pub(crate) fn count(&self, jni: Jni, id: u32) -> Result<(), Error> {
        jni.call_static_void(
            self.class,
            self.count,
            &[jvalue {
                i: id.cast_signed(),
            }],
        )
    }

    /// Counts an object, of any class, as one that a site made.
    pub(crate) fn count_object(&self, jni: Jni, object: jobject, site: u32) -> Result<(), Error> {
        jni.call_static_void(
            self.keyed,
            self.count_object,
            &[
                jvalue { l: object },
                jvalue {
                    i: site.cast_signed(),
                },
            ],
        )
    }

    /// Counts an object that is gone, of a class whose instances have this size.
    pub(crate) fn count_instance(
        &self,
        jni: Jni,
        class: jclass,
        bytes: u32,
        site: u32,
    ) -> Result<(), Error> {
        let klass = self.klass_of(jni, class)? as i64;
        let slot = jni.call_static_long(self.class, self.slot, &[])?;
        let (slot, no_call_site, site) = (
            jvalue { j: slot },
            jvalue { j: 0 },
            jvalue {
                i: site.cast_signed(),
            },
        );
        let (klass, class) = (jvalue { j: klass }, jvalue { l: class });
        let (one, bytes) = (
            jvalue { j: 1 },
            jvalue {
                j: i64::from(bytes),
            },
        );
        jni.call_static_void(
            self.keyed,
            self.made,
            &[slot, no_call_site, site, klass, class, one, bytes],
        )
    }

    /// Sets a slot in the padding of a `java.lang.Thread`.
    pub(crate) fn set_slot(&self, jni: Jni, thread: jobject, value: u64) -> Result<(), Error> {
        jni.call_static_void(
            self.class,
            self.set_slot,
            &[
                jvalue { l: thread },
                jvalue {
                    j: value.cast_signed(),
                },
            ],
        )
    }

    /// The address of a class's metadata.
    pub(crate) fn klass_of(&self, jni: Jni, class: jclass) -> Result<usize, Error> {
        Ok(jni.call_static_long(self.class, self.klass_of, &[jvalue { l: class }])? as usize)
    }
}

/// What the helper's `constant` answers.
pub(crate) fn constant(
    fact: Fact,
    facts: &VmFacts,
    tables: Option<&EventTables>,
    totals: Option<&CallTotals>,
) -> i64 {
    let (table, mask) = facts.slot.table();
    let layout = &facts.layout;
    let base = |index: usize| layout.array_base.get(index).copied().map_or(0, i64::from);
    let offset = |value: usize| i64::try_from(value).unwrap_or(0);
    let of_tables =
        |address: fn(&EventTables) -> usize| tables.map_or(0, |tables| offset(address(tables)));
    match fact {
        Fact::SlotKind => facts.slot.kind(),
        Fact::SlotOffset => facts.slot.offset(),
        Fact::Eetop => offset(facts.eetop),
        Fact::Shared => offset(facts.shared.address()),
        Fact::HasCarriers => i64::from(facts.has_carriers),
        Fact::SlotTable => table,
        Fact::SlotTableMask => mask,
        Fact::Keyed => offset(KEYED_OFFSET),
        Fact::KeyedMask => offset(KEYED_BYTES - ROW),
        Fact::Klass => offset(facts.klass.class_klass),
        Fact::LayoutHelper => offset(facts.klass.layout_helper),
        Fact::IntegerCacheTop => facts.integer_cache_top,
        Fact::TlabTop => offset(facts.threads.tlab_top),
        Fact::TlabStart => offset(facts.threads.tlab_start),
        Fact::TlabEnd => offset(facts.threads.tlab_end),
        Fact::Allocated => offset(facts.threads.allocated_bytes),
        Fact::Alignment => i64::from(layout.alignment),
        Fact::Base1 => base(0),
        Fact::Base2 => base(1),
        Fact::Base4 => base(2),
        Fact::Base8 => base(3),
        Fact::BaseReference => base(4),
        Fact::ReferenceShift => i64::from(layout.reference.trailing_zeros()),
        Fact::SeenClasses => of_tables(|tables| tables.seen.address()),
        Fact::SeenClassesMask => offset(SeenClasses::MASK),
        Fact::Epoch => of_tables(|tables| tables.epoch.as_ptr() as usize),
        Fact::CalledSites => of_tables(|tables| tables.called.address()),
        Fact::Totals
        | Fact::CounterBytes
        | Fact::SiteBytes
        | Fact::CallRecords
        | Fact::CallRecordsBytes
        | Fact::WaitingThreads => totals.map_or(0, |totals| totals.constant(fact)),
    }
}
