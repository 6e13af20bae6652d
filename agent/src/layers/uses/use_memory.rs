//! The shadow of the heap and the helper class that stamps it: both stay in the VM for good, and each run uses them anew.

use std::sync::OnceLock;

use ducktrack_hotspot::{Address, Shadow, ShadowedHeap};
use ducktrack_jvmti::sys::jobject;

use crate::layers::uses::use_helper::UseConstants;

static MEMORY: UseMemory = UseMemory {
    shadow: OnceLock::new(),
    constants: OnceLock::new(),
    works: OnceLock::new(),
};

/// The address at which the program sees an object that a local handle of this thread
/// holds. A collector that moves objects while the program runs may move it at any time.
pub(crate) fn seen_at(handle: jobject) -> Address {
    // SAFETY: a local handle is the address of a word that holds the object's address (no tag bits).
    unsafe { Address(handle as usize).read() }
}

/// State for the life of the process.
pub(crate) struct UseMemory {
    shadow: OnceLock<Shadow>,
    constants: OnceLock<UseConstants>,
    works: OnceLock<Result<(), String>>,
}

impl UseMemory {
    /// The one of this process.
    pub(crate) fn of_process() -> &'static Self {
        &MEMORY
    }

    /// The shadow of the reserved heap, without stamps.
    ///
    /// # Errors
    /// If there is no room for it: one sentence.
    pub(crate) fn empty_shadow(&self, heap: &ShadowedHeap) -> Result<&Shadow, String> {
        if let Some(shadow) = self.shadow.get() {
            shadow.clear();
            return Ok(shadow);
        }
        let shadow = heap.shadow();
        let shadow = shadow
            .map_err(|error| format!("there is no room for the shadow of the heap: {error}"))?;
        Ok(self.shadow.get_or_init(|| shadow))
    }

    /// The values for the helper class's initialization.
    pub(crate) fn constants(&self) -> Option<UseConstants> {
        self.constants.get().copied()
    }

    /// Defines the helper class, once; what became of it.
    ///
    /// # Errors
    /// Why it does not work: one sentence.
    pub(crate) fn define_once(
        &self,
        constants: impl FnOnce() -> UseConstants,
        define: impl FnOnce() -> Result<(), String>,
    ) -> Result<(), String> {
        let works = self.works.get_or_init(|| {
            self.constants.get_or_init(constants);
            define()
        });
        works.clone()
    }
}
