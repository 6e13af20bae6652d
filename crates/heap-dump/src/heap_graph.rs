//! A dump as a graph of objects.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::DumpError;
use crate::byte_stream::DumpFile;
use crate::class_table::{ClassIndex, ClassTable};
use crate::graph::{Graph, Lists};
use crate::held_graph::Tiers;
use crate::late_references::{FIELDS_OF_CLASS_OBJECTS, HANDLERS};
use crate::numbering::Numbering;
use crate::object_model::ObjectModel;
use crate::record_walk::{Extent, Identifier, time};
use crate::reference_walk::{Numbered, References, is_permanent, references};
use crate::roots::Root;
use crate::survey::Survey;

/// All objects of a dump, numbered by ascending address, and their references.
#[derive(Debug)]
pub struct HeapGraph {
    pub(crate) file: DumpFile,
    unix_millis: u64,
    classes: ClassTable,
    pub(crate) numbering: Numbering,
    edges: Lists,
    late: FxHashMap<u32, Vec<u32>>,
    soft: FxHashMap<u32, u32>,
    spent: FxHashSet<u32>,
    /// The root objects without duplicates, those with the most useful names first.
    roots: Vec<(u32, Root)>,
    /// Roots of what is held late.
    late_roots: Vec<(u32, Root)>,
    /// Threads with the method that each is in.
    innermost: Vec<(u32, String)>,
    cut: Option<u64>,
}

impl DumpFile {
    /// When the dump was written, milliseconds since 1970; reads only its head.
    ///
    /// # Errors
    /// If it is not a dump.
    pub fn unix_millis(&self) -> Result<u64, DumpError> {
        time(&mut self.open()?)
    }
}

impl HeapGraph {
    /// Reads a dump, twice from start to end.
    ///
    /// # Errors
    /// If it cannot be read, is damaged, is unfinished and must be whole, or is too large.
    pub fn read(file: DumpFile, extent: Extent) -> Result<Self, DumpError> {
        let mut survey = Survey::of(&file, extent)?;
        let (numbering, order) = Numbering::of(&mut survey);
        let ids = &numbering.ids;
        let numbered = Numbered {
            ids,
            classes: &survey.classes,
            class_of: &numbering.class_of,
        };
        let References {
            by_place,
            late,
            soft,
            spent,
        } = references(&file, numbered, order.places(), extent)?;
        let edges = by_place.renumbered(ids.len(), |place| order.number(place));
        drop(order);
        let named = survey
            .roots
            .iter()
            .filter_map(|(id, root)| {
                Some((
                    ids.number(*id)?,
                    survey.stacks.named(*root, &survey.classes),
                ))
            })
            .collect();
        let innermost = survey.stacks.innermost(&survey.classes).into_iter();
        let innermost = innermost
            .filter_map(|(thread, method)| Some((ids.number(thread)?, method)))
            .collect();
        let (roots, late_roots) = roots(numbered, named);
        Ok(Self {
            file,
            unix_millis: survey.unix_millis,
            classes: survey.classes,
            numbering,
            edges,
            late,
            soft,
            spent,
            roots,
            late_roots,
            innermost,
            cut: survey.cut,
        })
    }

    /// Where an unfinished dump ends: everything that it shows is a part.
    pub fn cut(&self) -> Option<u64> {
        self.cut
    }

    /// How firmly each object is held.
    pub fn tiers(&self) -> Tiers {
        let objects = |roots: &[(u32, Root)]| -> Vec<u32> {
            roots.iter().map(|(object, _)| *object).collect()
        };
        Tiers::new(self, &objects(&self.roots), &objects(&self.late_roots))
    }

    /// When the dump was written, milliseconds since 1970.
    pub fn unix_millis(&self) -> u64 {
        self.unix_millis
    }

    /// The running threads, and the method that each is in: `java/lang/Thread.sleep`.
    pub fn innermost_methods(&self) -> &[(u32, String)] {
        &self.innermost
    }

    /// How the JVM laid out its objects, as their addresses show.
    pub fn model(&self) -> ObjectModel {
        self.numbering.model
    }

    /// The classes.
    pub fn classes(&self) -> &ClassTable {
        &self.classes
    }

    /// Number of objects in the dump: instances, arrays and class objects.
    pub fn objects(&self) -> u32 {
        u32::try_from(self.numbering.ids.len()).unwrap_or(u32::MAX)
    }

    /// Number of references between objects.
    pub fn references(&self) -> u64 {
        self.edges.items() as u64
    }

    /// The address of an object.
    pub fn id(&self, object: u32) -> Identifier {
        self.numbering.ids.id(object)
    }

    /// The object at an address.
    pub fn object(&self, id: Identifier) -> Option<u32> {
        self.numbering.ids.number(id)
    }

    /// The class of an object.
    pub fn class_of(&self, object: u32) -> ClassIndex {
        let class = self.numbering.class_of.get(object as usize);
        class.copied().unwrap_or(ClassTable::of_classes())
    }

    /// The class that a class object represents; `None` for other objects.
    pub fn as_class(&self, object: u32) -> Option<ClassIndex> {
        (self.class_of(object) == ClassTable::of_classes())
            .then(|| self.classes.by_id(self.id(object)))?
    }

    /// The class loaders whose classes can be unloaded, and the class objects of each.
    pub fn loaders_of_classes(&self) -> FxHashMap<u32, Vec<u32>> {
        let dump = Numbered {
            ids: &self.numbering.ids,
            classes: &self.classes,
            class_of: &self.numbering.class_of,
        };
        let mut loaders: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
        for class in self.classes.indices() {
            let record = self
                .classes
                .get(class)
                .filter(|_| !is_permanent(dump, class));
            let ends = record.and_then(|class| {
                Some((self.object(class.record.loader)?, self.object(class.id)?))
            });
            if let Some((loader, class)) = ends {
                loaders.entry(loader).or_default().push(class);
            }
        }
        loaders
    }

    /// Internal name of an object's class.
    pub fn class_name(&self, object: u32) -> &str {
        self.classes.name(self.class_of(object))
    }

    /// The root objects without duplicates, those with the most useful names first.
    pub fn roots(&self) -> &[(u32, Root)] {
        &self.roots
    }

    /// Roots that keep nothing by themselves, or that the dump does not have.
    pub fn late_roots(&self) -> &[(u32, Root)] {
        &self.late_roots
    }

    /// Objects that nothing in the dump holds, but a field which no dump has. (Nothing else is held late by a root of this kind.)
    pub fn roots_outside(&self) -> impl Iterator<Item = u32> {
        let outside = |(_, root): &&(u32, Root)| matches!(root, Root::ClassField(_));
        self.late_roots
            .iter()
            .filter(outside)
            .map(|(object, _)| *object)
    }

    /// How many of the first roots last: static fields and running threads. Local variables and references of native code come and go.
    pub fn lasting_roots(&self) -> usize {
        let lasts = |(_, root): &&(u32, Root)| matches!(root, Root::Statics | Root::Thread);
        self.roots.iter().take_while(lasts).count()
    }

    /// True if the dump has soft references with a referent.
    pub fn has_soft_references(&self) -> bool {
        !self.soft.is_empty()
    }

    /// Weak and soft references that are cleared and wait in their queue.
    pub(crate) fn spent_references(&self) -> &FxHashSet<u32> {
        &self.spent
    }

    /// Bytes of an object in the heap: an estimate from the dump, until [`HeapGraph::set_bytes`] sets the exact size.
    pub fn bytes(&self, object: u32) -> u64 {
        let units = self.numbering.units.get(object as usize);
        units.map_or(0, |units| u64::from(*units) * 8)
    }

    /// Sets the exact size of an object, a multiple of 8.
    pub fn set_bytes(&mut self, object: u32, bytes: u64) {
        if let Some(units) = self.numbering.units.get_mut(object as usize) {
            *units = u32::try_from(bytes / 8).unwrap_or(u32::MAX);
        }
    }
}

impl Graph for HeapGraph {
    fn nodes(&self) -> usize {
        self.numbering.ids.len()
    }

    fn successors(&self, node: u32) -> &[u32] {
        self.edges.list(node as usize)
    }

    fn late_successors(&self, node: u32) -> &[u32] {
        self.late.get(&node).map_or(&[], Vec::as_slice)
    }

    fn soft_successor(&self, node: u32) -> Option<u32> {
        self.soft.get(&node).copied()
    }
}

/// The number of an object, and how the VM holds it.
type NamedRoot = (u32, Root);

/// Adds the classes that are never unloaded, and keeps the most useful name of each object; roots of what is held late come apart.
fn roots(dump: Numbered<'_>, mut named: Vec<NamedRoot>) -> (Vec<NamedRoot>, Vec<NamedRoot>) {
    for class in dump
        .classes
        .indices()
        .filter(|class| is_permanent(dump, *class))
    {
        let object = dump.classes.get(class).map_or(0, |class| class.id);
        if object != 0
            && let Some(number) = dump.ids.number(object)
        {
            named.push((number, Root::Statics));
        }
    }
    named.sort_by_key(|(number, root)| (root.rank(), *number));
    let mut seen: FxHashMap<u32, ()> = FxHashMap::default();
    named.retain(|(number, _)| seen.insert(*number, ()).is_none());
    let (mut late, firm): (Vec<_>, Vec<_>) = named
        .into_iter()
        .partition(|(_, root)| is_of_handler(dump, root));
    late.extend(held_by_class_objects(dump));
    (firm, late)
}

/// A local variable of a thread that handles references on the way to being freed.
fn is_of_handler(dump: Numbered<'_>, root: &Root) -> bool {
    let Root::Frame { thread, .. } = root else {
        return false;
    };
    let class = dump.ids.number(*thread);
    let class = class.and_then(|thread| dump.class_of.get(thread as usize));
    class.is_some_and(|class| HANDLERS.contains(&dump.classes.name(*class)))
}

/// What fields of class objects hold, which no dump has.
fn held_by_class_objects(dump: Numbered<'_>) -> Vec<(u32, Root)> {
    let field_of = |class: ClassIndex| {
        let mut all = FIELDS_OF_CLASS_OBJECTS.iter();
        let found = all.find(|(name, _)| *name == dump.classes.name(class));
        found.map(|(_, field)| *field)
    };
    let fields: FxHashMap<ClassIndex, &'static str> = dump
        .classes
        .indices()
        .filter_map(|class| Some((class, field_of(class)?)))
        .collect();
    let objects = (0_u32..).zip(dump.class_of);
    let held = objects.filter_map(|(object, class)| {
        let field = fields.get(class)?;
        Some((object, Root::ClassField(field)))
    });
    held.collect()
}
