//! Every class the VM has loaded, by the address of its Klass, with its name and the size of its instances.
//!
//! The VM links all classes: `ClassLoaderDataGraph::_head`, from loader to loader by `ClassLoaderData::_next`, and within a loader from
//! `ClassLoaderData::_klasses` by `Klass::_next_link` (`src/hotspot/share/classfile/classLoaderData.hpp`, `classLoaderDataGraph.hpp`).
//! Array classes are included. The chain does not change at a safepoint, where [`ClassTable::refresh`] is called.
//!
//! The class of an object is looked up only here: a class pointer from memory that may be stale is never followed. The address of an
//! unloaded class may be reused. The new class gets its own row; a row never changes its meaning. [`ClassTable::former`] leads from the new
//! row to the former ones, because dead objects may still be instances of them.
//!
//! For three kinds of classes the layout helper alone does not give the size of instances: `java.lang.Class` (static fields are part of the
//! object, and the object holds its size at `java_lang_Class::_oop_size_offset`), `jdk.internal.vm.StackChunk` (part of a virtual thread's
//! stack), and arrays.

use std::collections::HashMap;
use std::sync::Arc;

use class_memory::{CAREFUL, ClassMemory};
use classes_ahead::ClassAhead;
use field_layouts::{FieldReading, OwnFields};
pub use reference_maps::ReferenceMapLayout;
use reference_maps::ReferenceMaps;
pub(crate) use reference_maps::ReferenceRun;

use crate::address::Address;
use crate::classes::klass::KlassLayout;
use crate::classes::layout_helper::LayoutHelper;
use crate::error::Error;
use crate::process::confirmed_pages::ConfirmedPages;
use crate::vm::vm_structs::VmStructs;

mod class_memory;
mod classes_ahead;
mod field_layouts;
mod one_class;
mod reference_maps;
mod size_rule;

pub use classes_ahead::ClassesAhead;
pub use field_layouts::{FieldLayout, InstanceField};
use size_rule::rule_of;
pub use size_rule::{ClassId, SizeRule};

/// Upper bound on the length of a chain of loaders or classes.
const LONGEST_CHAIN: usize = 10_000_000;

/// One class.
#[derive(Debug, Clone)]
pub struct LoadedClass {
    /// Address of its Klass.
    pub klass: Address,
    /// How the size of its instances is found.
    pub rule: SizeRule,
    /// Internal name in modified UTF-8, e.g. `java/lang/String`, `[I`.
    pub name: Vec<u8>,
    /// The `Symbol` of the name. Together with the size rule it shows whether this is still the same class.
    symbol: Address,
    /// The class that had this address before.
    former: Option<ClassId>,
}

/// Location and offsets of the chain.
#[derive(Debug, Clone, Copy)]
struct Chain {
    head: Address,
    next_loader: usize,
    classes: usize,
}

/// The classes by address.
#[derive(Debug)]
pub struct ClassTable {
    layout: KlassLayout,
    chain: Chain,
    classes: Vec<LoadedClass>,
    /// Open addressing: row + 1 of the class whose Klass address hashes here, 0 for a free slot.
    slots: Vec<u32>,
    /// The first class of each loader at the last refresh.
    fronts: HashMap<Address, Address>,
    /// The last refresh found a class without a name.
    unnamed: bool,
    /// `Err`: why fields are not read.
    fields: Result<FieldReading, Error>,
    /// Classes of this refresh whose superclass has not been looked up yet.
    new_fields: Vec<(ClassId, OwnFields)>,
    /// `None` in tests, where no classes are announced.
    ahead: Option<Arc<ClassesAhead>>,
    /// Classes read before the current refresh.
    read_ahead: HashMap<Address, ClassAhead>,
    layouts: Vec<FieldLayout>,
    /// `None` if the references of objects are not needed.
    references: Option<ReferenceMaps>,
    /// Rows that are trusted without another look, where classes are learned one by one.
    confirmed: Vec<bool>,
}

impl ClassTable {
    /// An empty table. Call in or after `VMInit`.
    pub fn new(vm: &VmStructs) -> Result<Self, Error> {
        let chain = Chain {
            head: vm.address(&[("ClassLoaderDataGraph", "_head")])?,
            next_loader: vm.offset(&[("ClassLoaderData", "_next")])?,
            classes: vm.offset(&[("ClassLoaderData", "_klasses")])?,
        };
        let layout = KlassLayout::load(vm)?;
        Ok(Self {
            fields: FieldReading::load(vm, &layout),
            new_fields: Vec::new(),
            ahead: Some(ClassesAhead::new(vm, &layout)),
            read_ahead: HashMap::new(),
            layouts: Vec::new(),
            references: None,
            confirmed: Vec::new(),
            layout,
            chain,
            classes: Vec::new(),
            slots: vec![0; 1 << 12],
            fronts: HashMap::new(),
            unnamed: false,
        })
    }

    /// Follows all of the VM's chains and adds new classes. Call while the world is stopped, or before any class can be unloaded. Returns
    /// the number of classes in the chains.
    pub fn refresh(&mut self) -> Result<usize, Error> {
        self.fronts.clear();
        self.refresh_fronts()
    }

    /// Adds new classes if none was unloaded since the last call: a loader puts new classes at the front of its chain, so each chain is
    /// followed only up to the class that was first then. Returns the number of classes visited.
    pub(crate) fn refresh_fronts(&mut self) -> Result<usize, Error> {
        if std::mem::take(&mut self.unnamed) {
            self.fronts.clear();
        }
        self.read_ahead = self
            .ahead
            .as_ref()
            .map_or_else(HashMap::new, |ahead| ahead.take());
        let seen = self.follow_chains();
        self.read_ahead.clear();
        self.look_up_superclasses();
        seen
    }

    fn follow_chains(&mut self) -> Result<usize, Error> {
        let mut pages = ConfirmedPages::new();
        let mut loader: Address = pages.read(self.chain.head)?;
        let mut seen = 0;
        let mut loaders = 0;
        while !loader.is_null() {
            seen += self.refresh_loader(loader, &mut pages)?;
            // SAFETY: `refresh_loader` has read this loader safely, now or when it was new.
            loader = unsafe { loader.plus(self.chain.next_loader).read() };
            loaders += 1;
            if seen.max(loaders) > LONGEST_CHAIN {
                return Err(Error::EndlessChain {
                    what: "of loaded classes",
                });
            }
        }
        Ok(seen)
    }

    /// Adds the new classes of one loader. The first read of a loader or class
    /// is a safe one; later, being in the chain proves that it is still there.
    fn refresh_loader(
        &mut self,
        loader: Address,
        pages: &mut ConfirmedPages,
    ) -> Result<usize, Error> {
        let place = loader.plus(self.chain.classes);
        let front = self.fronts.get(&loader).copied();
        let first: Address = if front.is_some() {
            // SAFETY: a loader of the chain, which was read safely when it was new.
            unsafe { place.read() }
        } else {
            let mut memory = self.memory(pages);
            // SAFETY: a loader of the chain, at the offsets of the VM's tables.
            unsafe {
                memory.value::<Address>(loader.plus(self.chain.next_loader))?;
                memory.value(place)?
            }
        };
        let mut klass = first;
        let mut seen = 0;
        while !klass.is_null() {
            let is_known = self.take_in(klass, pages)?;
            if is_known && Some(klass) == front {
                break;
            }
            // SAFETY: `take_in` has read this class safely, now or when it was new.
            klass = unsafe { klass.plus(self.layout.next_link).read() };
            seen += 1;
            if seen > LONGEST_CHAIN {
                return Err(Error::EndlessChain {
                    what: "of loaded classes",
                });
            }
        }
        self.fronts.insert(loader, first);
        Ok(seen)
    }

    /// The reader for classes that the VM has just prepared.
    pub(crate) fn ahead(&self) -> Option<Arc<ClassesAhead>> {
        self.ahead.clone()
    }

    /// The class at this Klass address, if the chains have one there.
    #[must_use]
    pub fn find(&self, klass: Address) -> Option<ClassId> {
        let mut place = hash(klass, self.slots.len());
        loop {
            let row = self.slots.get(place)?.checked_sub(1)?;
            if self.classes.get(row as usize)?.klass == klass {
                return Some(ClassId(row));
            }
            place = (place + 1) & (self.slots.len() - 1);
        }
    }

    /// One class.
    #[must_use]
    pub fn class(&self, id: ClassId) -> Option<&LoadedClass> {
        self.classes.get(id.0 as usize)
    }

    /// The size rule of a class.
    #[must_use]
    pub fn rule(&self, id: ClassId) -> SizeRule {
        self.class(id).map_or(SizeRule::None, |class| class.rule)
    }

    /// The classes that had this class's address before, latest first. Dead objects may still be instances of them.
    pub fn former(&self, id: ClassId) -> impl Iterator<Item = ClassId> + '_ {
        let before = |id: &ClassId| self.class(*id)?.former;
        std::iter::successors(before(&id), before)
    }

    /// Also reads the positions of references from now on. Call before the first class is added.
    pub(crate) fn read_references(&mut self, vm: &VmStructs) -> Result<(), Error> {
        if !self.classes.is_empty() {
            return Err(Error::Implausible {
                what: "the number of classes before the first pause",
                value: self.classes.len() as u64,
            });
        }
        self.references = Some(ReferenceMaps::load(vm)?);
        Ok(())
    }

    /// The references in instances of a class that is not an array class.
    pub(crate) fn references_of(&self, class: ClassId) -> &[ReferenceRun] {
        self.references
            .as_ref()
            .map_or(&[], |maps| maps.of(class.0))
    }

    /// Why the references of some class are unknown.
    pub(crate) fn references_fault(&self) -> Option<&Error> {
        self.references.as_ref().and_then(ReferenceMaps::fault)
    }

    /// The number of rows.
    pub(crate) fn len(&self) -> usize {
        self.classes.len()
    }

    /// Every class that was ever in the table, by row.
    pub fn classes(&self) -> impl Iterator<Item = (ClassId, &LoadedClass)> {
        (0..).map(ClassId).zip(&self.classes)
    }

    /// Adds the class at this address unless it is known and unchanged. Returns whether it was.
    fn take_in(&mut self, klass: Address, pages: &mut ConfirmedPages) -> Result<bool, Error> {
        let known = self.find(klass);
        let ahead = self.read_ahead.remove(&klass);
        let (helper, symbol) = if known.is_some() || ahead.is_some() {
            // SAFETY: a class of the chain. Its memory was read when it was new, and is not freed while the class is loaded.
            unsafe {
                (
                    LayoutHelper(klass.plus(self.layout.layout_helper).read()),
                    klass.plus(self.layout.name).read::<Address>(),
                )
            }
        } else {
            let mut memory = self.memory(pages);
            // SAFETY: a class of the chain, at the offsets of the VM's tables.
            unsafe {
                memory.value::<Address>(klass.plus(self.layout.next_link))?;
                (
                    LayoutHelper(memory.value(klass.plus(self.layout.layout_helper))?),
                    memory.value(klass.plus(self.layout.name))?,
                )
            }
        };
        if symbol.is_null() {
            // The class is still being loaded and has no instances. The next refresh will find it.
            self.unnamed = true;
            return Ok(false);
        }
        if self.unchanged(known, helper, symbol).is_some() {
            return Ok(true);
        }
        let ahead = ahead.filter(|class| class.helper == helper && class.symbol == symbol);
        let (name, own) = match ahead {
            Some(class) => (class.name, Some(class.own)),
            None => {
                let (length, body) = (self.layout.symbol_length, self.layout.symbol_body);
                // SAFETY: the symbol is the name of a class of the chain.
                let name = unsafe { self.memory(pages).text(symbol, length, body) }?;
                (name, None)
            }
        };
        let rule = rule_of(helper, &name);
        let id = self.add(LoadedClass {
            klass,
            rule,
            name,
            symbol,
            former: known,
        })?;
        if let Some(maps) = &mut self.references {
            let careful = self.classes.len() < CAREFUL as usize;
            // SAFETY: the class is in the chain, which does not change now.
            unsafe {
                maps.add(
                    klass,
                    instance_bytes(rule),
                    &mut ClassMemory { careful, pages },
                )
            };
        }
        match own {
            Some(own) => self.new_fields.extend(own.map(|own| (id, own))),
            None => self.read_fields(id, klass, rule, pages),
        }
        Ok(false)
    }

    /// The row at an address, if what is there now is still its class.
    fn unchanged(
        &self,
        known: Option<ClassId>,
        helper: LayoutHelper,
        symbol: Address,
    ) -> Option<ClassId> {
        let is_same = |class: &LoadedClass| {
            class.symbol == symbol && rule_of(helper, &class.name) == class.rule
        };
        known.filter(|id| self.class(*id).is_some_and(is_same))
    }

    /// A reader of class memory; the first classes are read safely.
    fn memory<'p>(&self, pages: &'p mut ConfirmedPages) -> ClassMemory<'p> {
        let careful = self.classes.len() < CAREFUL as usize;
        ClassMemory { careful, pages }
    }

    /// Reads the field offsets of a class of the chain. An error disables this; the table remains usable.
    fn read_fields(
        &mut self,
        id: ClassId,
        klass: Address,
        rule: SizeRule,
        pages: &mut ConfirmedPages,
    ) {
        let Ok(reading) = &mut self.fields else {
            return;
        };
        // SAFETY: the class is in the chain, which does not change now.
        match unsafe { reading.read(klass, rule, pages) } {
            Ok(own) => self.new_fields.extend(own.map(|own| (id, own))),
            Err(error) => self.fields = Err(error),
        }
    }

    fn look_up_superclasses(&mut self) {
        for (class, own) in std::mem::take(&mut self.new_fields) {
            let superclass = self.find(own.superclass);
            // If the superclass is not in the chains, the class is still being loaded or is not what it seems.
            if superclass.is_some() || own.superclass.is_null() {
                self.layouts.push(FieldLayout {
                    class,
                    superclass,
                    fields: own.fields,
                });
            }
        }
    }

    /// The layouts of the classes added since the last call.
    pub fn take_layouts(&mut self) -> Vec<FieldLayout> {
        std::mem::take(&mut self.layouts)
    }

    /// Why layouts are no longer known.
    #[must_use]
    pub fn layouts_fault(&self) -> Option<&Error> {
        self.fields.as_ref().err()
    }

    fn add(&mut self, class: LoadedClass) -> Result<ClassId, Error> {
        if (self.classes.len() + 1) * 2 > self.slots.len() {
            self.slots = vec![0; self.slots.len() * 2];
            for (number, known) in (1..).zip(&self.classes) {
                occupy(&mut self.slots, &self.classes, known.klass, number);
            }
        }
        let number = u32::try_from(self.classes.len() + 1).map_err(|_| Error::EndlessChain {
            what: "of loaded classes",
        })?;
        occupy(&mut self.slots, &self.classes, class.klass, number);
        self.classes.push(class);
        Ok(ClassId(number - 1))
    }
}

/// The minimum size of instances in bytes; `None` for arrays and classes without instances.
fn instance_bytes(rule: SizeRule) -> Option<usize> {
    match rule {
        SizeRule::Fixed(bytes) | SizeRule::Mirror(bytes) | SizeRule::StackChunk(bytes) => {
            Some(bytes)
        }
        SizeRule::Array(_) | SizeRule::None => None,
    }
}

/// Stores the number of a row in the slot of its Klass address: the slot of a former class at this address, or the first free one from its
/// hash on. At least half of the slots are free.
fn occupy(slots: &mut [u32], classes: &[LoadedClass], klass: Address, number: u32) {
    let start = hash(klass, slots.len());
    let (before, after) = slots.split_at_mut(start);
    let is_free_or_same = |slot: u32| {
        let row = (slot as usize).checked_sub(1).map(|row| classes.get(row));
        row.is_none_or(|class| class.is_some_and(|class| class.klass == klass))
    };
    let mut from_hash_on = after.iter_mut().chain(before);
    if let Some(slot) = from_hash_on.find(|slot| is_free_or_same(**slot)) {
        *slot = number;
    }
}

/// Klass addresses are multiples of 8 and close together, so they are multiplied, and the upper bits are used.
fn hash(klass: Address, slots: usize) -> usize {
    let mixed = (klass.0 as u64 >> 3).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    usize::try_from(mixed >> (64 - slots.trailing_zeros())).unwrap_or(0)
}

#[cfg(test)]
pub(crate) mod tests;
