//! Classes that are read when the VM has prepared them, so that the next pause need not.
//!
//! ```text
//! class prepared    on the thread that loads it: name, size rule, fields are read, and kept by the address of the Klass
//! pause             the chain has a new class at that address, with the same name and size: what was read is its row
//! ```
//!
//! The first pause of a program meets some thousand new classes; to read them took it 2 us each, most of that for their fields. What the chain does not show is not taken over, and
//! what is not taken over by the next pause is forgotten: a class can go only in a pause, and its address may be another's after that.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::class_memory::ClassMemory;
use super::field_layouts::{FieldReading, OwnFields};
use super::size_rule::rule_of;
use crate::address::Address;
use crate::confirmed_pages::ConfirmedPages;
use crate::error::Error;
use crate::klass::KlassLayout;
use crate::layout_helper::LayoutHelper;
use crate::vm_structs::VmStructs;

/// What is read ahead, for the code that loads classes.
#[derive(Debug)]
pub struct ClassesAhead {
    layout: KlassLayout,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    /// `Err`: why no fields are read; the next pause comes to the same.
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
        // SAFETY: a class of the VM's has these, and a name whose symbol is its own.
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
    /// Its fields, if it has objects and they do not contradict themselves.
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

    /// Reads a class.
    ///
    /// # Safety
    /// The VM has prepared the class at this address, and it cannot be unloaded during the call. (If it is redefined meanwhile, what it had before stays until a second
    /// safepoint, which is long after this.)
    pub unsafe fn read(&self, klass: Address) {
        let mut state = self.lock();
        // SAFETY: the caller vouches for the class.
        let class = unsafe { state.class(klass, &self.layout) };
        match class {
            Ok(class) => drop(state.read.insert(klass, class)),
            Err(error) => state.fields = Err(error),
        }
    }

    /// What was read since the last call. For a pause.
    pub(super) fn take(&self) -> HashMap<Address, ClassAhead> {
        std::mem::take(&mut self.lock().read)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
