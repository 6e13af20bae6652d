//! Every class the VM has loaded, by the address of its Klass: how large its instances are, and its name.
//!
//! The VM chains them: `ClassLoaderDataGraph::_head`, from loader to loader by `ClassLoaderData::_next`, from class to class of a loader by
//! `ClassLoaderData::_klasses` and `Klass::_next_link` (`src/hotspot/share/classfile/classLoaderData.hpp`, `classLoaderDataGraph.hpp`). Arrays are in the
//! chain, too. The chain stands still at a safepoint; [`ClassTable::refresh`] is for there.
//!
//! An object's class is looked up here and nowhere else: a class pointer out of memory that may be stale is never followed. The
//! address of an unloaded class may be used again for another one: that one gets a row of its own, a row never changes its meaning, and from
//! the new row the former ones can be reached ([`ClassTable::former`]), because dead objects may still be of them.
//!
//! Three classes have instances whose size is not in the layout helper alone: `java.lang.Class` (its static fields are part of the object; the
//! size is in the object, at `java_lang_Class::_oop_size_offset`), `jdk.internal.vm.StackChunk` (a piece of a virtual thread's stack) and arrays.

use std::collections::HashMap;
use std::sync::Arc;

use class_memory::{CAREFUL, ClassMemory};
use classes_ahead::ClassAhead;
use field_layouts::{FieldReading, OwnFields};
use reference_maps::ReferenceMaps;
pub(crate) use reference_maps::ReferenceRun;

use crate::address::Address;
use crate::confirmed_pages::ConfirmedPages;
use crate::error::Error;
use crate::klass::KlassLayout;
use crate::layout_helper::LayoutHelper;
use crate::vm_structs::VmStructs;

mod class_memory;
mod classes_ahead;
mod field_layouts;
mod reference_maps;
mod size_rule;

pub use classes_ahead::ClassesAhead;
pub use field_layouts::{FieldLayout, InstanceField};
use size_rule::rule_of;
pub use size_rule::{ClassId, SizeRule};

/// Longest chain of loaders or classes that is followed.
const LONGEST_CHAIN: usize = 10_000_000;

/// One class.
#[derive(Debug, Clone)]
pub struct LoadedClass {
    /// Where its Klass is.
    pub klass: Address,
    /// How large its instances are.
    pub rule: SizeRule,
    /// Internal name in modified UTF-8, e.g. `java/lang/String`, `[I`.
    pub name: Vec<u8>,
    /// The `Symbol` of the name: together with the size rule it shows whether this is still the same class.
    symbol: Address,
    /// The class that was at this address before.
    former: Option<ClassId>,
}

/// Offsets of the chain.
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
    /// Open addressing: row + 1 of the class whose Klass address hashes here, 0 for free.
    slots: Vec<u32>,
    /// The first class of each loader at the last refresh.
    fronts: HashMap<Address, Address>,
    /// The last refresh met a class without a name.
    unnamed: bool,
    /// `Err`: why no fields are read.
    fields: Result<FieldReading, Error>,
    /// Classes of this refresh whose superclass is not looked up yet.
    new_fields: Vec<(ClassId, OwnFields)>,
    /// `None` in tests: no classes are announced.
    ahead: Option<Arc<ClassesAhead>>,
    /// What was read ahead of the refresh that is going on.
    read_ahead: HashMap<Address, ClassAhead>,
    layouts: Vec<FieldLayout>,
    /// `None`: it is not asked where objects have references.
    references: Option<ReferenceMaps>,
}

impl ClassTable {
    /// An empty table. In or after `VMInit`.
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
            layout,
            chain,
            classes: Vec::new(),
            slots: vec![0; 1 << 12],
            fronts: HashMap::new(),
            unnamed: false,
        })
    }

    /// Follows all of the VM's chains and takes in what is new. Call it while the world is stopped, or before anything can be unloaded. Returns how many classes the chains have.
    pub fn refresh(&mut self) -> Result<usize, Error> {
        self.fronts.clear();
        self.refresh_fronts()
    }

    /// Takes in what is new, where no class was unloaded since the last call: a loader's new classes come to the front of its chain, so a chain is
    /// followed up to the class that was the first one then. Returns how many classes were looked at.
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
            // SAFETY: `refresh_loader` has read this loader with care, now or when it was new.
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

    /// Takes in the new classes of one loader. The first read of a loader or a class is one with care; the chains prove that it is still one later.
    fn refresh_loader(
        &mut self,
        loader: Address,
        pages: &mut ConfirmedPages,
    ) -> Result<usize, Error> {
        let place = loader.plus(self.chain.classes);
        let front = self.fronts.get(&loader).copied();
        let first: Address = if front.is_some() {
            // SAFETY: a loader of the chain that was read with care when it was new.
            unsafe { place.read() }
        } else {
            let mut memory = self.memory(pages);
            // SAFETY: a loader of the chain.
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
            // SAFETY: `take_in` has read this class with care, now or when it was new.
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

    /// Where classes may be read ahead.
    pub(crate) fn ahead(&self) -> Option<Arc<ClassesAhead>> {
        self.ahead.clone()
    }

    /// The class at this address, if the chains confirmed one there.
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

    /// The classes that were at the address of this one before, latest first. Dead objects may still be of them.
    pub fn former(&self, id: ClassId) -> impl Iterator<Item = ClassId> + '_ {
        let before = |id: &ClassId| self.class(*id)?.former;
        std::iter::successors(before(&id), before)
    }

    /// From now on reads where objects have references. Before the first class is taken in.
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

    /// Where the objects of a class, which is no array class, have references.
    pub(crate) fn references_of(&self, class: ClassId) -> &[ReferenceRun] {
        self.references
            .as_ref()
            .map_or(&[], |maps| maps.of(class.0))
    }

    /// Why it is not known of some class.
    pub(crate) fn references_fault(&self) -> Option<&Error> {
        self.references.as_ref().and_then(ReferenceMaps::fault)
    }

    /// The number of rows.
    pub(crate) fn len(&self) -> usize {
        self.classes.len()
    }

    /// Every class that was ever confirmed, by row.
    pub fn classes(&self) -> impl Iterator<Item = (ClassId, &LoadedClass)> {
        (0..).map(ClassId).zip(&self.classes)
    }

    /// Reads a class of the chain unless it is known and still the same. Was it?
    fn take_in(&mut self, klass: Address, pages: &mut ConfirmedPages) -> Result<bool, Error> {
        let known = self.find(klass);
        let ahead = self.read_ahead.remove(&klass);
        let (helper, symbol) = if known.is_some() || ahead.is_some() {
            // SAFETY: a class of the chain; the memory of its address was read when it was new, and is not given back while it holds one.
            unsafe {
                (
                    LayoutHelper(klass.plus(self.layout.layout_helper).read()),
                    klass.plus(self.layout.name).read::<Address>(),
                )
            }
        } else {
            let mut memory = self.memory(pages);
            // SAFETY: a class of the chain.
            unsafe {
                memory.value::<Address>(klass.plus(self.layout.next_link))?;
                (
                    LayoutHelper(memory.value(klass.plus(self.layout.layout_helper))?),
                    memory.value(klass.plus(self.layout.name))?,
                )
            }
        };
        if symbol.is_null() {
            // Still being loaded: it has no instances. It will be there the next time.
            self.unnamed = true;
            return Ok(false);
        }
        if let Some(class) = known.and_then(|id| self.class(id))
            && rule_of(helper, &class.name) == class.rule
            && class.symbol == symbol
        {
            return Ok(true);
        }
        let ahead = ahead.filter(|class| class.helper == helper && class.symbol == symbol);
        let (name, own) = match ahead {
            Some(class) => (class.name, Some(class.own)),
            None => {
                let (length, body) = (self.layout.symbol_length, self.layout.symbol_body);
                // SAFETY: the name of a class of the chain.
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
            // SAFETY: the chain has just confirmed the class, and it stands still.
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

    /// What the chain leads to is there; the first time, that is found out with care.
    fn memory<'p>(&self, pages: &'p mut ConfirmedPages) -> ClassMemory<'p> {
        let careful = self.classes.len() < CAREFUL as usize;
        ClassMemory { careful, pages }
    }

    /// Reads where the fields of a class of the chain are. What cannot be read ends that; the table goes on.
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
        // SAFETY: the chain has just confirmed the class, and it stands still.
        match unsafe { reading.read(klass, rule, pages) } {
            Ok(own) => self.new_fields.extend(own.map(|own| (id, own))),
            Err(error) => self.fields = Err(error),
        }
    }

    fn look_up_superclasses(&mut self) {
        for (class, own) in std::mem::take(&mut self.new_fields) {
            let superclass = self.find(own.superclass);
            // A superclass that is not in the chains: the class is still being loaded, or it is not what it seems.
            if superclass.is_some() || own.superclass.is_null() {
                self.layouts.push(FieldLayout {
                    class,
                    superclass,
                    fields: own.fields,
                });
            }
        }
    }

    /// The layouts of the classes that came since the last call.
    pub fn take_layouts(&mut self) -> Vec<FieldLayout> {
        std::mem::take(&mut self.layouts)
    }

    /// Why no layouts can be known (any more).
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

/// Bytes that instances have at least; `None`: arrays, or no instances.
fn instance_bytes(rule: SizeRule) -> Option<usize> {
    match rule {
        SizeRule::Fixed(bytes) | SizeRule::Mirror(bytes) | SizeRule::StackChunk(bytes) => {
            Some(bytes)
        }
        SizeRule::Array(_) | SizeRule::None => None,
    }
}

/// Enters the number of a row into the slot of its address: the one a former class at this address has, or the first free one from its hash
/// on. There always is one: half of them are free.
fn occupy(slots: &mut [u32], classes: &[LoadedClass], klass: Address, number: u32) {
    let start = hash(klass, slots.len());
    let (before, after) = slots.split_at_mut(start);
    let of_this_address = |slot: u32| {
        let row = (slot as usize).checked_sub(1).map(|row| classes.get(row));
        row.is_none_or(|class| class.is_some_and(|class| class.klass == klass))
    };
    let mut from_hash_on = after.iter_mut().chain(before);
    if let Some(slot) = from_hash_on.find(|slot| of_this_address(**slot)) {
        *slot = number;
    }
}

/// Klass addresses are multiples of 8 and close together: multiply and take the upper bits.
fn hash(klass: Address, slots: usize) -> usize {
    let mixed = (klass.0 as u64 >> 3).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    usize::try_from(mixed >> (64 - slots.trailing_zeros())).unwrap_or(0)
}

#[cfg(test)]
pub(crate) mod tests;
