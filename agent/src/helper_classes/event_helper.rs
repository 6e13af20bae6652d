//! The helper classes `java.lang.DuckTrackEvents` and `DuckTrackEventBuffer` in the VM, which write allocation events, and their natives.

use ducktrack_hotspot::Address;
use ducktrack_jvmti::sys::{jclass, jmethodID, jobject, jvalue};
use ducktrack_jvmti::{Error, Jni};

const BYTES: &[u8] = include_bytes!("../helper/DuckTrackEvents.class");
const NAME: &str = "java/lang/DuckTrackEvents";
const BUFFER_BYTES: &[u8] = include_bytes!("../helper/DuckTrackEventBuffer.class");
const BUFFER_NAME: &str = "java/lang/DuckTrackEventBuffer";

/// Handles to the classes.
pub(crate) struct EventHelper {
    class: jclass,
    buffer: jclass,
    object: jmethodID,
    string: jmethodID,
    gone: jmethodID,
    address: jmethodID,
}

// SAFETY: the classes are global references and method ids are valid in every thread.
unsafe impl Send for EventHelper {}
// SAFETY: nothing in it changes after it was made.
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
            address: jni.static_method_id(buffer, "address", "(Ljava/lang/Object;)J")?,
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
        let nothing = jvalue {
            l: std::ptr::null_mut(),
        };
        jni.call_static_long(self.buffer, self.address, &[nothing])?;
        Ok(())
    }

    /// Where an object is, at some moment during the call; `None`: that cannot be known.
    pub(crate) fn address_of(&self, jni: Jni, object: jobject) -> Option<Address> {
        let found = jni
            .call_static_long(self.buffer, self.address, &[jvalue { l: object }])
            .ok()?;
        (found != 0).then_some(Address(found as usize))
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
