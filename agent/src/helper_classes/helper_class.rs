//! The helper classes in the VM that each recording needs: defined, given their natives, initialized, tried.
//!
//! Their bytes are checked in beside `helper/DuckTrack.class`; `scripts/build-helper` is the recipe.

use std::sync::OnceLock;

use ducktrack_jvmti::sys::{jclass, jmethodID, jobject, jvalue};
use ducktrack_jvmti::{Error, Jni};
use ducktrack_probe_vocabulary::helper::{
    callers, counting, keyed, materialized, sizes, stack, stack_trace,
};

use crate::helper_classes::definition::{self, HelperFile, helper_file, method};
use crate::process::own_library;

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

/// Stays in the VM for good: a class cannot be defined twice.
static HELPER: OnceLock<HelperClass> = OnceLock::new();
static IS_MATERIALIZED_DEFINED: OnceLock<()> = OnceLock::new();

impl HelperClass {
    /// The class, once it works.
    pub(crate) fn get() -> Option<&'static Self> {
        HELPER.get()
    }

    /// Defines the class, once. `attached`: the VM was already running.
    ///
    /// # Errors
    /// Why there is none.
    pub(crate) fn define_once(jni: Jni, attached: bool) -> Result<&'static Self, String> {
        if let Some(helper) = Self::get() {
            return Ok(helper);
        }
        if attached {
            if jni.find_class(counting::CLASS).is_ok() {
                return Err("another copy of the agent's library is loaded in this JVM; use the same file as before".to_owned());
            }
            own_library::load_for_boot_classes(jni).map_err(|error| {
                format!("the VM cannot find the agent's native methods: {error}")
            })?;
        }
        let helper = Self::define(jni)
            .map_err(|error| format!("the helper class cannot be defined: {error}"))?;
        helper
            .link_natives(jni)
            .map_err(|error| format!("the helper class does not work: {error}"))?;
        Ok(HELPER.get_or_init(|| helper))
    }

    /// Defines the class in the boot loader and initializes it; the natives answer from the agent's facts by then.
    fn define(jni: Jni) -> Result<Self, Error> {
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

    /// Defines the class that probes call with `record=materialized`, once.
    ///
    /// # Errors
    /// Why there is none.
    pub(crate) fn define_materialized(jni: Jni) -> Result<(), String> {
        if IS_MATERIALIZED_DEFINED.get().is_none() {
            definition::define(jni, [MATERIALIZED])
                .map_err(|error| format!("the helper class cannot be defined: {error}"))?;
            // Runs start one after another.
            let _ = IS_MATERIALIZED_DEFINED.set(());
        }
        Ok(())
    }

    /// Calls every native once. The VM looks for a native at its first call, by Java code that allocates: that must be over
    /// before any code counts what it allocates.
    fn link_natives(&self, jni: Jni) -> Result<(), Error> {
        let first_seen = method(jni, self.class, counting::FIRST_SEEN)?;
        jni.call_static_void(
            self.class,
            first_seen,
            &[jvalue { l: self.class }, jvalue { j: 0 }],
        )?;
        let inherits_clone = method(jni, self.class, counting::INHERITS_CLONE)?;
        jni.call_static_boolean(self.class, inherits_clone, &[jvalue { l: self.class }])?;
        // Nothing is counted yet, so no shutdown is noted.
        let shutdown = method(jni, self.class, counting::SHUTDOWN)?;
        jni.call_static_void(self.class, shutdown, &[])?;
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
