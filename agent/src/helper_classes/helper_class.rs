//! The helper class `java.lang.DuckTrack` in the VM: defined, given its natives, initialized, tried.
//!
//! Its bytes are checked in as `helper/DuckTrack.class`; `scripts/build-helper` is the recipe.

use ducktrack_jvmti::sys::{jclass, jmethodID, jobject, jvalue};
use ducktrack_jvmti::{Error, Jni};

use crate::core::vm_facts::VmFacts;
use crate::trace::event_tables::{EventTables, SeenClasses};

const BYTES: &[u8] = include_bytes!("../helper/DuckTrack.class");
const NAME: &str = "java/lang/DuckTrack";

/// Handles to the helper class.
pub(crate) struct HelperClass {
    class: jclass,
    set_slot: jmethodID,
    klass_of: jmethodID,
    count: jmethodID,
    count_object: jmethodID,
    slot: jmethodID,
    made: jmethodID,
}

// SAFETY: the class is a global reference and method ids are valid in every thread.
unsafe impl Send for HelperClass {}
// SAFETY: nothing in it changes after it was made.
unsafe impl Sync for HelperClass {}

impl HelperClass {
    /// Defines the class in the boot loader and initializes it; the natives answer from the agent's facts by then.
    pub(crate) fn define(jni: Jni) -> Result<Self, Error> {
        let local = jni.define_class(NAME, std::ptr::null_mut(), BYTES)?;
        let class = jni.new_global_ref(local)?;
        Ok(Self {
            set_slot: jni.static_method_id(class, "setSlot", "(Ljava/lang/Thread;J)V")?,
            klass_of: jni.static_method_id(class, "klassOf", "(Ljava/lang/Class;)J")?,
            count: jni.static_method_id(class, "c", "(I)V")?,
            count_object: jni.static_method_id(class, "d", "(Ljava/lang/Object;I)V")?,
            slot: jni.static_method_id(class, "slot", "()J")?,
            made: jni.static_method_id(class, "made", "(JJIJLjava/lang/Class;JJ)V")?,
            class,
        })
    }

    /// Calls every native once. The VM looks for a native at its first call, by Java code that allocates: that must be over
    /// before any code counts what it allocates.
    pub(crate) fn link_natives(&self, jni: Jni) -> Result<(), Error> {
        let first_seen = jni.static_method_id(self.class, "firstSeen", "(Ljava/lang/Class;J)V")?;
        jni.call_static_void(
            self.class,
            first_seen,
            &[jvalue { l: self.class }, jvalue { j: 0 }],
        )?;
        // The block that threads share does not grow.
        let grow = jni.static_method_id(self.class, "grow", "(J)V")?;
        jni.call_static_void(self.class, grow, &[jvalue { j: 0 }])?;
        let rewrite_hidden = jni.static_method_id(self.class, "rewriteHidden", "([B)[B")?;
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
            self.class,
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
            self.class,
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

/// Those after them are about calls ([`crate::count::call_totals`]).
pub(crate) const CONSTANTS: usize = 27;

/// What the helper's constants are, in the order of its `constant(n)`.
pub(crate) fn constants(facts: &VmFacts, tables: Option<&EventTables>) -> [i64; CONSTANTS] {
    let (table, mask) = facts.slot.table();
    let layout = &facts.layout;
    let base = |index: usize| layout.array_base.get(index).copied().map_or(0, i64::from);
    let offset = |value: usize| i64::try_from(value).unwrap_or(0);
    [
        facts.slot.kind(),
        facts.slot.offset(),
        offset(facts.eetop),
        offset(facts.shared.address()),
        i64::from(facts.has_carriers),
        table,
        mask,
        offset(crate::threads::counter_block::KEYED_OFFSET),
        offset(crate::threads::counter_block::KEYED_BYTES - crate::threads::counter_block::ROW),
        offset(facts.klass.class_klass),
        offset(facts.klass.layout_helper),
        facts.integer_cache_top,
        offset(facts.threads.tlab_top),
        i64::from(layout.alignment),
        base(0),
        base(1),
        base(2),
        base(3),
        base(4),
        i64::from(layout.reference.trailing_zeros()),
        offset(facts.threads.allocated_bytes),
        offset(facts.threads.tlab_start),
        tables.map_or(0, |tables| offset(tables.seen.address())),
        offset(SeenClasses::MASK),
        offset(facts.threads.tlab_end),
        tables.map_or(0, |tables| offset(tables.epoch.as_ptr() as usize)),
        tables.map_or(0, |tables| offset(tables.called.address())),
    ]
}
