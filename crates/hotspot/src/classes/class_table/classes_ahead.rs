//! Reads classes as soon as the VM has prepared them, to save the next pause that work.
//!
//! ```text
//! class prepared    the loading thread reads name, size rule and fields, and stores them by Klass address
//! pause             if the chain has a new class at that address with the same name and size, the stored data becomes its row
//! ```
//!
//! The first pause of a program meets some thousand new classes. Reading them there took 2 us each, mostly for their fields. Data that does
//! not match a class in the chain is not used, and data not used by the next pause is discarded: a class can be unloaded only in a pause,
//! after which its address may belong to another class.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::class_memory::ClassMemory;
use super::field_layouts::{FieldReading, OwnFields};
use super::size_rule::rule_of;
use crate::address::Address;
use crate::classes::klass::KlassLayout;
use crate::classes::layout_helper::LayoutHelper;
use crate::error::Error;
use crate::process::confirmed_pages::ConfirmedPages;
use crate::vm::vm_structs::VmStructs;

/// Collects classes read before a pause, for the code that loads classes.
#[derive(Debug)]
pub struct ClassesAhead {
    layout: KlassLayout,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    /// `Err`: why fields are not read; the next pause gets the same error.
    fields: Result<FieldReading, Error>,
    read: HashMap<Address, ClassAhead>,
}

impl State {
    /// # Safety
    /// As for [`ClassesAhead::read`].
    unsafe fn class(&mut self, klass: Address, layout: &KlassLayout) -> Result<ClassAhead, Error> {
        let fields = self.fields.as_mut().map_err(|error| error.clone())?;
        let pages = &mut ConfirmedPages::new();
        let careful = fields.is_careful();
        let mut memory = ClassMemory { careful, pages };
        // SAFETY: the caller vouches for the class, which has a layout helper and a name.
        unsafe {
            let helper = LayoutHelper(memory.value(klass.plus(layout.layout_helper))?);
            let symbol = memory.value(klass.plus(layout.name))?;
            let name = memory.text(symbol, layout.symbol_length, layout.symbol_body)?;
            let own = fields.read(klass, rule_of(helper, &name), pages)?;
            Ok(ClassAhead {
                helper,
                symbol,
                name,
                own,
            })
        }
    }
}

/// A class that was read.
#[derive(Debug)]
pub(super) struct ClassAhead {
    pub(super) helper: LayoutHelper,
    pub(super) symbol: Address,
    pub(super) name: Vec<u8>,
    /// Its fields, if it has instances and the fields are consistent.
    pub(super) own: Option<OwnFields>,
}

impl ClassesAhead {
    pub(super) fn new(vm: &VmStructs, layout: &KlassLayout) -> Arc<Self> {
        Arc::new(Self {
            layout: *layout,
            state: Mutex::new(State {
                fields: FieldReading::load(vm, layout),
                read: HashMap::new(),
            }),
        })
    }

    /// Reads a class that was just prepared.
    ///
    /// # Safety
    /// The VM must have prepared the class at this address, and it must not be unloaded during the call. (If it is redefined meanwhile, its
    /// old data stays until a second safepoint, long after this call.)
    pub unsafe fn read(&self, klass: Address) {
        let mut state = self.lock();
        // SAFETY: the caller vouches for the class.
        let class = unsafe { state.class(klass, &self.layout) };
        match class {
            Ok(class) => drop(state.read.insert(klass, class)),
            Err(error) => state.fields = Err(error),
        }
    }

    /// Takes the classes read since the last call. For a pause.
    pub(super) fn take(&self) -> HashMap<Address, ClassAhead> {
        std::mem::take(&mut self.lock().read)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
