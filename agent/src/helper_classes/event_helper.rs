//! The helper classes in the VM that write allocation events, and their natives.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use ducktrack_hotspot::Address;
use ducktrack_jvmti::sys::{jclass, jmethodID, jobject, jvalue};
use ducktrack_jvmti::{Error, Jni};
use ducktrack_probe_vocabulary::helper::{event_buffer, event_words, events, object_events};

use crate::helper_classes::definition::{self, HelperFile, helper_file, method};

const WORDS: HelperFile = helper_file!("DuckTrackEventWords", event_words::TYPED);
const BUFFER: HelperFile = helper_file!("DuckTrackEventBuffer", event_buffer::FLUSH);
const EVENTS: HelperFile = helper_file!("DuckTrackEvents", events::OBJECT);
const OBJECT_EVENTS: HelperFile = helper_file!("DuckTrackObjectEvents", object_events::FROM_NATIVE);

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
// SAFETY: no method changes a field; the VM synchronizes calls through the ids itself.
unsafe impl Sync for EventHelper {}

/// Stays in the VM for good: a class cannot be defined twice.
static HELPER: OnceLock<EventHelper> = OnceLock::new();

/// Whether addresses of objects can be read, which requires that objects move only while the world is stopped.
static KNOWS_ADDRESSES: AtomicBool = AtomicBool::new(false);

impl EventHelper {
    /// Addresses of objects can be read in this VM.
    pub(crate) fn know_addresses() {
        KNOWS_ADDRESSES.store(true, Ordering::Release);
    }

    pub(crate) fn knows_addresses() -> bool {
        KNOWS_ADDRESSES.load(Ordering::Acquire)
    }

    /// The classes, once they work.
    pub(crate) fn get() -> Option<&'static Self> {
        HELPER.get()
    }

    /// Defines the classes, once.
    ///
    /// # Errors
    /// Why there are none.
    pub(crate) fn define_once(jni: Jni) -> Result<&'static Self, String> {
        if let Some(helper) = Self::get() {
            return Ok(helper);
        }
        let define = || -> Result<Self, Error> {
            let helper = Self::define(jni)?;
            helper.link_natives(jni)?;
            Ok(helper)
        };
        let helper =
            define().map_err(|error| format!("the helper class does not work: {error}"))?;
        Ok(HELPER.get_or_init(|| helper))
    }

    /// Defines the classes in the boot loader and initializes them; `DuckTrack` is there already.
    fn define(jni: Jni) -> Result<Self, Error> {
        let files = [WORDS, BUFFER, EVENTS, OBJECT_EVENTS];
        let [_, buffer, _, class] = definition::define(jni, files)?;
        Ok(Self {
            object: method(jni, class, object_events::FROM_NATIVE)?,
            string: method(jni, class, object_events::STRING_FROM_NATIVE)?,
            gone: method(jni, class, object_events::GONE_FROM_NATIVE)?,
            address: method(jni, buffer, event_buffer::ADDRESS)?,
            class,
            buffer,
        })
    }

    /// Calls every native once: the VM looks for a native at its first call, by Java code that allocates.
    fn link_natives(&self, jni: Jni) -> Result<(), Error> {
        let flush = method(jni, self.buffer, event_buffer::FLUSH)?;
        jni.call_static_void(self.buffer, flush, &[jvalue { j: 0 }])?;
        let adopt = method(jni, self.buffer, event_buffer::ADOPT)?;
        jni.call_static_long(self.buffer, adopt, &[jvalue { j: 0 }])?;
        let nothing = jvalue {
            l: std::ptr::null_mut(),
        };
        jni.call_static_long(self.buffer, self.address, &[nothing])?;
        let become_writer = method(jni, self.buffer, event_buffer::BECOME_WRITER)?;
        jni.call_static_void(self.buffer, become_writer, &[jvalue { j: 0 }])?;
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
