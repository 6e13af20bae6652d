//! The helper classes `java.lang.DuckTrackEvents` and `DuckTrackEventBuffer` in the VM, which write allocation events, and their natives.

use ducktrack_hotspot::Address;
use ducktrack_jvmti::sys::{JNIEnv, jclass, jlong, jmethodID, jobject, jvalue};
use ducktrack_jvmti::{Error, Jni};

use crate::callbacks;
use crate::counter_block::CounterBlock;

const BYTES: &[u8] = include_bytes!("helper/DuckTrackEvents.class");
const NAME: &str = "java/lang/DuckTrackEvents";
const BUFFER_BYTES: &[u8] = include_bytes!("helper/DuckTrackEventBuffer.class");
const BUFFER_NAME: &str = "java/lang/DuckTrackEventBuffer";

/// Handles to the classes.
pub(crate) struct EventHelper {
    class: jclass,
    buffer: jclass,
    object: jmethodID,
    string: jmethodID,
    gone: jmethodID,
}

// SAFETY: the classes are global references and method ids are valid in every thread.
unsafe impl Send for EventHelper {}
// SAFETY: as above.
unsafe impl Sync for EventHelper {}

impl EventHelper {
    /// Defines the classes in the boot loader and initializes them; `DuckTrack` is there already.
    pub(crate) fn define(jni: Jni) -> Result<Self, Error> {
        let local = jni.define_class(BUFFER_NAME, std::ptr::null_mut(), BUFFER_BYTES)?;
        let buffer = jni.new_global_ref(local)?;
        // The id of a method makes the VM initialize its class.
        jni.static_method_id(buffer, "flush", "(J)V")?;
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
            buffer,
        })
    }

    /// Calls every native once: the VM looks for a native at its first call, by Java code that allocates.
    pub(crate) fn link_natives(&self, jni: Jni) -> Result<(), Error> {
        let flush = jni.static_method_id(self.buffer, "flush", "(J)V")?;
        jni.call_static_void(self.buffer, flush, &[jvalue { j: 0 }])?;
        let adopt = jni.static_method_id(self.buffer, "adopt", "(J)J")?;
        jni.call_static_long(self.buffer, adopt, &[jvalue { j: 0 }])?;
        let address = jni.static_method_id(self.buffer, "address", "(Ljava/lang/Object;)J")?;
        let nothing = jvalue {
            l: std::ptr::null_mut(),
        };
        jni.call_static_long(self.buffer, address, &[nothing])?;
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

/// `DuckTrackEventBuffer.flush`
///
/// # Safety
/// Called by the VM, for the block of the current thread or with 0.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "system" fn Java_java_lang_DuckTrackEventBuffer_flush(
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

/// `DuckTrackEventBuffer.adopt`
///
/// # Safety
/// Called by the VM, with the `eetop` of the current thread or 0.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "system" fn Java_java_lang_DuckTrackEventBuffer_adopt(
    _: *mut JNIEnv,
    _: jclass,
    eetop: jlong,
) -> jlong {
    if eetop == 0 {
        return 0;
    }
    callbacks::native(0, |agent| agent.adopt_thread(eetop as usize) as jlong)
}

/// `DuckTrackEventBuffer.address`
///
/// # Safety
/// Called by the VM.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "system" fn Java_java_lang_DuckTrackEventBuffer_address(
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
