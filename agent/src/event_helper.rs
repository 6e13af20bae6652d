//! The helper class `java.lang.DuckTrackEvents` in the VM, which writes allocation events, and its natives.

use ducktrack_hotspot::Address;
use ducktrack_jvmti::sys::{JNIEnv, jclass, jlong, jmethodID, jobject, jvalue};
use ducktrack_jvmti::{Error, Jni};

use crate::callbacks;
use crate::counter_block::CounterBlock;

const BYTES: &[u8] = include_bytes!("helper/DuckTrackEvents.class");
const NAME: &str = "java/lang/DuckTrackEvents";

/// Handles to the class.
pub(crate) struct EventHelper {
    class: jclass,
    object: jmethodID,
    string: jmethodID,
    gone: jmethodID,
}

// SAFETY: the class is a global reference and method ids are valid in every thread.
unsafe impl Send for EventHelper {}
// SAFETY: as above.
unsafe impl Sync for EventHelper {}

impl EventHelper {
    /// Defines the class in the boot loader and initializes it; `DuckTrack` is there already.
    pub(crate) fn define(jni: Jni) -> Result<Self, Error> {
        let local = jni.define_class(NAME, std::ptr::null_mut(), BYTES)?;
        let class = jni.new_global_ref(local)?;
        Ok(Self {
            object: jni.static_method_id(class, "j", "(Ljava/lang/Object;I)V")?,
            string: jni.static_method_id(
                class,
                "js",
                "(Ljava/lang/Object;Ljava/lang/Object;I)V",
            )?,
            gone: jni.static_method_id(class, "jg", "(Ljava/lang/Class;JI)V")?,
            class,
        })
    }

    /// Calls every native once: the VM looks for a native at its first call, by Java code that allocates.
    pub(crate) fn link_natives(&self, jni: Jni) -> Result<(), Error> {
        let flush = jni.static_method_id(self.class, "flush", "(J)V")?;
        jni.call_static_void(self.class, flush, &[jvalue { j: 0 }])?;
        let adopt = jni.static_method_id(self.class, "adopt", "(J)J")?;
        jni.call_static_long(self.class, adopt, &[jvalue { j: 0 }])?;
        let address = jni.static_method_id(self.class, "address", "(Ljava/lang/Object;)J")?;
        let nothing = jvalue {
            l: std::ptr::null_mut(),
        };
        jni.call_static_long(self.class, address, &[nothing])?;
        Ok(())
    }

    /// Records an object that native code made.
    pub(crate) fn object(&self, jni: Jni, object: jobject, site: u32) -> Result<(), Error> {
        let arguments = [jvalue { l: object }, site_argument(site)];
        jni.call_static_void(self.class, self.object, &arguments)
    }

    /// Records a string and its array that native code made.
    pub(crate) fn string(
        &self,
        jni: Jni,
        string: jobject,
        value: jobject,
        site: u32,
    ) -> Result<(), Error> {
        let arguments = [
            jvalue { l: string },
            jvalue { l: value },
            site_argument(site),
        ];
        jni.call_static_void(self.class, self.string, &arguments)
    }

    /// Records an object that native code made and that is gone.
    pub(crate) fn gone(&self, jni: Jni, class: jclass, bytes: u32, site: u32) -> Result<(), Error> {
        let bytes = jvalue {
            j: i64::from(bytes),
        };
        let arguments = [jvalue { l: class }, bytes, site_argument(site)];
        jni.call_static_void(self.class, self.gone, &arguments)
    }
}

fn site_argument(site: u32) -> jvalue {
    jvalue {
        i: site.cast_signed(),
    }
}

/// `DuckTrackEvents.flush`
///
/// # Safety
/// Called by the VM, for the block of the current thread or with 0.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "system" fn Java_java_lang_DuckTrackEvents_flush(
    _: *mut JNIEnv,
    _: jclass,
    block: jlong,
) {
    if block != 0 {
        callbacks::native((), |agent| {
            if let Some(tracing) = agent.tracing() {
                // SAFETY: the helper class passes what the thread's slot leads to: a block.
                tracing.flush(unsafe { CounterBlock::at(block as usize) });
            }
        });
    }
}

/// `DuckTrackEvents.adopt`
///
/// # Safety
/// Called by the VM, with the `eetop` of the current thread or 0.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "system" fn Java_java_lang_DuckTrackEvents_adopt(
    _: *mut JNIEnv,
    _: jclass,
    eetop: jlong,
) -> jlong {
    if eetop == 0 {
        return 0;
    }
    callbacks::native(0, |agent| agent.adopt_thread(eetop as usize) as jlong)
}

/// `DuckTrackEvents.address`
///
/// # Safety
/// Called by the VM.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "system" fn Java_java_lang_DuckTrackEvents_address(
    _: *mut JNIEnv,
    _: jclass,
    object: jobject,
) -> jlong {
    callbacks::native(0, |agent| {
        let known = agent
            .tracing()
            .is_some_and(|tracing| tracing.knows_addresses);
        if object.is_null() || !known {
            return 0;
        }
        // SAFETY: an argument of a native method is a local handle: the address of a word that holds the object's address (no tag bits).
        let address: u64 = unsafe { Address(object as usize).read() };
        address.cast_signed()
    })
}
