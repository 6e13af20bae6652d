//! The two shadows of the heap of `mode=deaths`, and the helper class that
//! stamps them: they stay in the VM for good, and each run uses them anew.

use std::sync::OnceLock;

use ducktrack_hotspot::{Address, Shadow};

use crate::layers::stamps::shadows::Shadows;

static MEMORY: WitnessMemory = WitnessMemory {
    shadows: OnceLock::new(),
    works: OnceLock::new(),
};

/// The one of this process.
pub(crate) fn of_process() -> &'static WitnessMemory {
    &MEMORY
}

/// State for the life of the process.
pub(crate) struct WitnessMemory {
    shadows: OnceLock<Shadows>,
    works: OnceLock<Result<(), String>>,
}

impl WitnessMemory {
    /// The shadows of the reserved heap, without stamps.
    ///
    /// # Errors
    /// If there is no room for them: one sentence.
    pub(crate) fn empty_shadows(&self, heap: (Address, usize)) -> Result<Shadows, String> {
        if let Some(shadows) = self.shadows.get() {
            shadows.used.clear();
            shadows.lost.clear();
            return Ok(*shadows);
        }
        let map = || {
            Shadow::map(heap.0, heap.1)
                .map_err(|error| format!("there is no room for a shadow of the heap: {error}"))
        };
        let shadows = Shadows {
            used: map()?,
            lost: map()?,
        };
        Ok(*self.shadows.get_or_init(|| shadows))
    }

    /// Defines the helper class, once; what became of it.
    ///
    /// # Errors
    /// Why it does not work: one sentence.
    pub(crate) fn define_once(
        &self,
        define: impl FnOnce() -> Result<(), String>,
    ) -> Result<(), String> {
        self.works.get_or_init(define).clone()
    }
}
