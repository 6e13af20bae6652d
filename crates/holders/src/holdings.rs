//! The results of a joined dump: retained bytes by type and by origin, and the holders.

use ducktrack_heap_dump::{
    DirectBuffer, DominatorTree, DumpError, HeldGraph, Root, ShortestPaths, Tier, Tiers,
    TreeFields, WayOrder,
};

use crate::field_paths::FieldPaths;
use crate::join::JoinedDump;
use crate::type_table::{Origin, TypeNumber, TypeTable};

/// Objects, their bytes, and what they retain.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Holding {
    /// Objects.
    pub objects: u64,
    /// Their own bytes.
    pub bytes: u64,
    /// Bytes that would be free without them, theirs included. Of a group: at least this many.
    pub retained: u64,
    /// Collections that the oldest survived.
    pub oldest: u32,
    /// Collections that the youngest survived.
    pub youngest: u32,
}

impl Holding {
    fn add(&mut self, bytes: u64, age: u32) {
        self.youngest = match self.objects {
            0 => age,
            _ => self.youngest.min(age),
        };
        self.oldest = self.oldest.max(age);
        self.objects += 1;
        self.bytes += bytes;
    }
}

/// The dump, its dominators and its shortest paths.
#[derive(Debug)]
pub struct Holdings {
    /// The dump with the sites of its objects.
    pub dump: JoinedDump,
    /// Types and origins as numbers.
    pub types: TypeTable,
    /// Field paths of all objects.
    pub paths: FieldPaths,
    pub(crate) fields: TreeFields,
    pub(crate) tiers: Tiers,
    pub(crate) tree: DominatorTree,
    pub(crate) shortest: ShortestPaths,
    /// By number in the tree.
    pub(crate) retained: Vec<u64>,
}

impl Holdings {
    /// Works out dominators, retained bytes and shortest paths.
    ///
    /// # Errors
    /// When the dump cannot be read again, for the fields on the paths.
    pub fn new(dump: JoinedDump) -> Result<Self, DumpError> {
        let types = TypeTable::new(&dump);
        let tiers = dump.graph.tiers();
        let held = tiers.held(&dump.graph);
        let tree = DominatorTree::new(&held);
        // Static fields come first: they are what a person can look up in the code.
        let all = dump.graph.roots().iter();
        let statics = all.take_while(|(_, root)| *root == Root::Statics).count();
        let outside: Vec<u32> = dump.graph.roots_outside().collect();
        let ways = WayOrder {
            statics,
            lasting: dump.graph.lasting_roots(),
            outside: &outside,
            last: tree.orphans(),
        };
        let mut shortest = ShortestPaths::new(&held, ways);
        let fields = TreeFields::read(&dump.graph, &shortest)?;
        let paths = FieldPaths::new(&dump, &types, (&tiers, &shortest, &fields));
        shortest.forget_order();
        // Only now: 8 bytes for each object, which the order of the search has just freed a half of.
        let retained = tree.retained(|object| dump.bytes(object));
        Ok(Self {
            dump,
            types,
            paths,
            fields,
            tiers,
            tree,
            shortest,
            retained,
        })
    }

    /// How firmly an object is held.
    pub fn tier(&self, object: u32) -> Tier {
        self.tiers.of(object)
    }

    /// Buffers with memory outside of the heap.
    pub fn direct_buffers(&self) -> &[DirectBuffer] {
        &self.fields.direct_buffers
    }

    pub(crate) fn held(&self) -> HeldGraph<'_, ducktrack_heap_dump::HeapGraph> {
        self.tiers.held(&self.dump.graph)
    }

    /// All objects together.
    pub fn total(&self) -> Holding {
        let mut total = Holding::default();
        for object in 0..self.dump.graph.objects() {
            total.add(self.dump.bytes(object), self.dump.age(object));
        }
        total.retained = total.bytes;
        total
    }

    /// Bytes of all objects that a root holds.
    pub fn held_bytes(&self) -> u64 {
        let objects = 0..self.dump.graph.objects();
        let held = objects.filter(|object| self.tier(*object) == Tier::Firm);
        held.map(|object| self.dump.bytes(object)).sum()
    }

    /// Bytes that one object retains.
    pub fn retained(&self, object: u32) -> u64 {
        let number = self.tree.number(object) as usize;
        self.retained.get(number).copied().unwrap_or(0)
    }

    /// For each type (by its number) what its objects hold.
    pub fn by_type(&self) -> Vec<Holding> {
        self.by_group(self.types.types(), |object| {
            Some(self.types.type_of(&self.dump, object).0)
        })
    }

    /// For each origin (by its place in `types.origins()`) what its objects hold.
    pub fn by_origin(&self) -> Vec<Holding> {
        self.by_group(self.types.origins().len(), |object| {
            self.types.origin_of(&self.dump, object)
        })
    }

    /// What groups of objects hold.
    pub fn by_group(&self, groups: usize, group_of: impl Fn(u32) -> Option<u32>) -> Vec<Holding> {
        let mut holdings = vec![Holding::default(); groups];
        for object in 0..self.dump.graph.objects() {
            let group = group_of(object).and_then(|group| holdings.get_mut(group as usize));
            if let Some(holding) = group {
                holding.add(self.dump.bytes(object), self.dump.age(object));
            }
        }
        let retained = self
            .tree
            .retained_by_group(groups, group_of, &self.retained);
        for (holding, retained) in holdings.iter_mut().zip(retained) {
            holding.retained = retained;
        }
        holdings
    }

    /// The bytes that would be free if exactly these objects were gone: what no root reaches without going through one of them.
    pub fn exactly_retained(&self, is_member: impl Fn(u32) -> bool) -> u64 {
        let is_reached = self
            .held()
            .reached_without(self.tree.orphans(), is_member, |_, _| false);
        let gone = (0_u32..)
            .zip(is_reached)
            .filter(|(_, is_reached)| !is_reached);
        gone.map(|(object, _)| self.dump.bytes(object)).sum()
    }

    /// True if classes go with these objects: what instance fields of class objects
    /// hold (mirrors of reflection), no dump has, so that more is free than it shows.
    pub fn frees_classes(&self, is_member: impl Fn(u32) -> bool) -> bool {
        let is_reached = self
            .held()
            .reached_without(self.tree.orphans(), is_member, |_, _| false);
        let mut gone = (0_u32..)
            .zip(is_reached)
            .filter(|(_, is_reached)| !is_reached);
        gone.any(|(object, _)| self.dump.graph.as_class(object).is_some())
    }

    /// The type of an object.
    pub fn type_of(&self, object: u32) -> TypeNumber {
        self.types.type_of(&self.dump, object)
    }

    /// The origin of an object.
    pub fn origin_of(&self, object: u32) -> Origin {
        let place = self.types.origin_of(&self.dump, object);
        let origin = place.and_then(|place| self.types.origins().get(place as usize));
        origin.copied().unwrap_or_default()
    }
}
