//! Types and sites of a dump's objects as small numbers.

use rustc_hash::FxHashMap;

use ducktrack_count_model::{CallIndex, SiteIndex};
use ducktrack_heap_dump::ClassIndex;

use crate::join::JoinedDump;

/// A type, by its place in [`TypeTable`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TypeNumber(pub u32);

impl core::fmt::Debug for TypeNumber {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "type{}", self.0)
    }
}

/// Where an object was made, and on whose behalf. `None`: not known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Origin {
    /// Row in `CountModel::sites`.
    pub site: Option<SiteIndex>,
    /// Row in `CountModel::calls`.
    pub call: Option<CallIndex>,
}

/// All types and origins of a dump's objects.
#[derive(Debug, Default)]
pub struct TypeTable {
    names: Vec<String>,
    by_maker: Vec<u32>,
    by_class: FxHashMap<ClassIndex, u32>,
    origins: Vec<Origin>,
    origin_by_maker: Vec<u32>,
}

impl TypeTable {
    /// The types and origins of all objects.
    pub(crate) fn new(dump: &JoinedDump) -> Self {
        let mut table = Self::default();
        let mut numbers: FxHashMap<String, u32> = FxHashMap::default();
        let mut origins: FxHashMap<Origin, u32> = FxHashMap::default();
        for maker in &dump.makers {
            let ty = maker.ty.as_deref().unwrap_or_default().to_owned();
            table
                .by_maker
                .push(number(&mut numbers, &mut table.names, ty));
            let origin = Origin {
                site: maker.site,
                call: maker.call,
            };
            table
                .origin_by_maker
                .push(number(&mut origins, &mut table.origins, origin));
        }
        for object in 0..dump.graph.objects() {
            let class = dump.graph.class_of(object);
            let is_known = dump.maker(object).is_some_and(|maker| maker.ty.is_some());
            if !is_known && !table.by_class.contains_key(&class) {
                let ty = number(&mut numbers, &mut table.names, dump.type_of(object));
                table.by_class.insert(class, ty);
            }
        }
        number(&mut origins, &mut table.origins, Origin::default());
        table
    }

    /// How many types there are.
    pub fn types(&self) -> usize {
        self.names.len()
    }

    /// All origins.
    pub fn origins(&self) -> &[Origin] {
        &self.origins
    }

    /// The descriptor of a type.
    pub fn name(&self, ty: TypeNumber) -> &str {
        self.names.get(ty.0 as usize).map_or("", String::as_str)
    }

    /// The type of an object.
    pub fn type_of(&self, dump: &JoinedDump, object: u32) -> TypeNumber {
        let by_class = || self.by_class.get(&dump.graph.class_of(object)).copied();
        let by_maker = dump.maker_number(object).filter(|maker| {
            let maker = dump.makers.get(*maker as usize);
            maker.is_some_and(|maker| maker.ty.is_some())
        });
        let by_maker = by_maker.and_then(|maker| self.by_maker.get(maker as usize).copied());
        TypeNumber(by_maker.or_else(by_class).unwrap_or(0))
    }

    /// The origin of an object, by its place in [`TypeTable::origins`]; `None`: the object is not in the trace.
    pub fn origin_of(&self, dump: &JoinedDump, object: u32) -> Option<u32> {
        let maker = dump.maker_number(object)?;
        self.origin_by_maker.get(maker as usize).copied()
    }
}

fn number<K: Clone + Eq + core::hash::Hash>(
    numbers: &mut FxHashMap<K, u32>,
    all: &mut Vec<K>,
    key: K,
) -> u32 {
    if let Some(known) = numbers.get(&key) {
        return *known;
    }
    let next = u32::try_from(all.len()).unwrap_or(u32::MAX);
    all.push(key.clone());
    numbers.insert(key, next);
    next
}
