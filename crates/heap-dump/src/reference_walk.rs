//! The second walk over a dump: the references between objects.
//!
//! Referents of weak and phantom references are left out, because they do not keep objects alive; late
//! references are kept apart. For class loaders that can be unloaded, two references are added that
//! exist without a field: from an object to its class, and from a loader to each class that it loaded.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::DumpError;
use crate::byte_stream::DumpFile;
use crate::class_table::{ClassIndex, ClassTable, ReferencePlan};
use crate::graph::Lists;
use crate::id_table::IdTable;
use crate::late_references::Strength;
use crate::record_walk::{ClassRecord, Extent, Identifier, ObjectRecord, RecordVisitor, walk};

/// Class loaders whose classes are never unloaded.
const BUILT_IN_LOADERS: [&str; 3] = [
    "jdk/internal/loader/ClassLoaders$AppClassLoader",
    "jdk/internal/loader/ClassLoaders$PlatformClassLoader",
    "jdk/internal/loader/ClassLoaders$BootClassLoader",
];

/// What the second walk needs from the first.
#[derive(Clone, Copy)]
pub(crate) struct Numbered<'a> {
    pub(crate) ids: &'a IdTable,
    pub(crate) classes: &'a ClassTable,
    /// By number of the object.
    pub(crate) class_of: &'a [ClassIndex],
}

/// The references of a dump.
#[derive(Debug, Default)]
pub(crate) struct References {
    /// Of each object, in the order of the file.
    pub(crate) by_place: Lists,
    /// Late ones, by number of the object; of few objects.
    pub(crate) late: FxHashMap<u32, Vec<u32>>,
    /// The referents of soft references, which are also among the others.
    pub(crate) soft: FxHashMap<u32, u32>,
    /// Weak and soft references that are cleared and whose queue has them still.
    pub(crate) spent: FxHashSet<u32>,
}

/// Reads all references in the order of the file, which has `objects` objects.
pub(crate) fn references(
    file: &DumpFile,
    dump: Numbered<'_>,
    objects: usize,
    extent: Extent,
) -> Result<References, DumpError> {
    let loaded = loaded_classes(dump);
    let mut reader = ReferenceReader {
        dump,
        loaded,
        plans: FxHashMap::default(),
        kept_classes: FxHashMap::default(),
        edges: Lists::with_room(objects, 0),
        late: FxHashMap::default(),
        soft: FxHashMap::default(),
        cleared: Vec::new(),
        no_queue: 0,
        object: 0,
        content: Content::Values,
    };
    let cut = walk(&mut file.open()?, &mut reader, extent)?;
    if cut.is_some() {
        reader.edges.fill(objects);
    }
    if reader.edges.len() != objects {
        return Err(DumpError::Damaged {
            at: 0,
            reason: "it changed while it was read",
        });
    }
    Ok(References {
        spent: reader.spent(),
        by_place: reader.edges,
        late: reader.late,
        soft: reader.soft,
    })
}

/// True if the class is never unloaded.
pub(crate) fn is_permanent(dump: Numbered<'_>, class: ClassIndex) -> bool {
    let Some(class) = dump.classes.get(class) else {
        return true;
    };
    if class.record.loader == 0 {
        return true;
    }
    let loader = dump.ids.number(class.record.loader);
    let loader = loader.and_then(|number| dump.class_of.get(number as usize));
    loader.is_none_or(|loader| BUILT_IN_LOADERS.contains(&dump.classes.name(*loader)))
}

/// The class objects of each loader that can be unloaded.
fn loaded_classes(dump: Numbered<'_>) -> FxHashMap<Identifier, Vec<u32>> {
    let mut loaded: FxHashMap<Identifier, Vec<u32>> = FxHashMap::default();
    for index in dump.classes.indices() {
        let Some(class) = dump.classes.get(index) else {
            continue;
        };
        if !is_permanent(dump, index)
            && let Some(number) = dump.ids.number(class.id)
        {
            loaded.entry(class.record.loader).or_default().push(number);
        }
    }
    loaded
}

/// The class of the queues of references.
const REFERENCE_QUEUE: &str = "java/lang/ref/ReferenceQueue";

/// Its static field that stands for no queue: the name until JDK 21, and the one since.
const NO_QUEUE: [&str; 2] = ["NULL", "NULL_QUEUE"];

/// How to read the content of the current object.
#[derive(Clone, Copy)]
enum Content {
    Fields(ClassIndex),
    Elements,
    Values,
}

struct ReferenceReader<'a> {
    dump: Numbered<'a>,
    loaded: FxHashMap<Identifier, Vec<u32>>,
    plans: FxHashMap<ClassIndex, ReferencePlan>,
    /// For each class, the class object that its instances keep alive.
    kept_classes: FxHashMap<ClassIndex, Option<u32>>,
    edges: Lists,
    late: FxHashMap<u32, Vec<u32>>,
    soft: FxHashMap<u32, u32>,
    /// Cleared weak and soft references: the number, and the queue.
    cleared: Vec<(u32, Identifier)>,
    /// The queue of references that have none, or that were taken from it.
    no_queue: Identifier,
    /// The object whose content comes next.
    object: Identifier,
    content: Content,
}

impl ReferenceReader<'_> {
    fn refer(&mut self, id: Identifier) {
        if id != 0
            && let Some(number) = self.dump.ids.number(id)
        {
            self.edges.push(number);
        }
    }

    /// Adds the references of an object that are not in fields.
    fn implied(&mut self, id: Identifier, class: ClassIndex) {
        let dump = self.dump;
        let kept = self.kept_classes.entry(class).or_insert_with(|| {
            let id = dump.classes.get(class)?.id;
            (!is_permanent(dump, class)).then(|| dump.ids.number(id))?
        });
        if let Some(number) = *kept {
            self.edges.push(number);
        }
        for number in self.loaded.get(&id).into_iter().flatten() {
            self.edges.push(*number);
        }
    }

    /// Whoever polls their queue drops them: a table with weak keys does so when it is next used.
    fn spent(&self) -> FxHashSet<u32> {
        let waiting = self.cleared.iter();
        let waiting = waiting.filter(|(_, queue)| *queue != 0 && *queue != self.no_queue);
        waiting.map(|(number, _)| *number).collect()
    }

    fn fields(&mut self, class: ClassIndex, bytes: &[u8]) {
        let dump = self.dump;
        let plan = self.plans.entry(class);
        let plan = plan.or_insert_with(|| dump.classes.plan(class));
        if let Some(weak) = plan.weak
            && id_at(bytes, weak.referent) == Some(0)
        {
            let number = dump.ids.number(self.object);
            self.cleared.extend(number.zip(id_at(bytes, weak.queue)));
        }
        for field in &plan.fields {
            let Some(id) = id_at(bytes, field.offset) else {
                return;
            };
            if id == 0 {
                continue;
            }
            if field.strength == Strength::Late {
                add_late(&mut self.late, dump, (self.object, id));
                continue;
            }
            let target = dump.ids.number(id);
            self.edges.extend(target);
            if field.strength == Strength::Soft && !refers_firmly(plan, bytes, id) {
                let from = dump.ids.number(self.object);
                self.soft.extend(from.zip(target));
            }
        }
    }

    fn elements(&mut self, bytes: &[u8]) {
        for id in bytes.as_chunks().0 {
            self.refer(u64::from_be_bytes(*id));
        }
    }

    /// Checks that there is room for one run of content, which has at most 2^16 references.
    fn check_room(&self) -> Result<(), DumpError> {
        match self.edges.items() + (1 << 20) > Lists::MOST_ITEMS {
            true => Err(DumpError::TooLarge {
                what: "references",
                most: Lists::MOST_ITEMS as u64,
            }),
            false => Ok(()),
        }
    }
}

fn id_at(bytes: &[u8], offset: u32) -> Option<Identifier> {
    let id = bytes.get(offset as usize..)?.first_chunk()?;
    Some(u64::from_be_bytes(*id))
}

/// Another field of the object, as a subclass of `SoftReference` may have, refers to it too.
fn refers_firmly(plan: &ReferencePlan, bytes: &[u8], id: Identifier) -> bool {
    let mut firm = plan
        .fields
        .iter()
        .filter(|field| field.strength == Strength::Firm);
    firm.any(|field| id_at(bytes, field.offset) == Some(id))
}

fn add_late(
    late: &mut FxHashMap<u32, Vec<u32>>,
    dump: Numbered<'_>,
    (from, to): (Identifier, Identifier),
) {
    if let (Some(from), Some(to)) = (dump.ids.number(from), dump.ids.number(to)) {
        late.entry(from).or_default().push(to);
    }
}

impl RecordVisitor for ReferenceReader<'_> {
    fn class(&mut self, _at: u64, class: ClassRecord) -> Result<(), DumpError> {
        self.check_room()?;
        self.refer(class.superclass);
        self.refer(class.loader);
        class.others.into_iter().for_each(|id| self.refer(id));
        let index = self.dump.classes.by_id(class.id);
        let is_queue = index.is_some_and(|index| self.dump.classes.name(index) == REFERENCE_QUEUE);
        for (name, value) in class.statics {
            if is_queue && NO_QUEUE.contains(&self.dump.classes.string(name)) {
                self.no_queue = value;
            }
            match index.is_some_and(|index| self.dump.classes.is_late_static(index, name)) {
                true => add_late(&mut self.late, self.dump, (class.id, value)),
                false => self.refer(value),
            }
        }
        self.edges.end_list();
        Ok(())
    }

    fn object(
        &mut self,
        _at: u64,
        id: Identifier,
        object: ObjectRecord,
    ) -> Result<bool, DumpError> {
        self.check_room()?;
        self.object = id;
        let class = |id| self.dump.classes.by_id(id);
        self.content = match object {
            ObjectRecord::Instance { class: id, .. } => {
                class(id).map_or(Content::Values, Content::Fields)
            }
            ObjectRecord::References { .. } => Content::Elements,
            ObjectRecord::Primitives { .. } => Content::Values,
        };
        let known = match object {
            ObjectRecord::Instance { class: id, .. }
            | ObjectRecord::References { class: id, .. } => class(id),
            ObjectRecord::Primitives { .. } => None,
        };
        if let Some(class) = known {
            self.implied(id, class);
        }
        let is_wanted = !matches!(self.content, Content::Values);
        if !is_wanted {
            self.edges.end_list();
        }
        Ok(is_wanted)
    }

    fn content(&mut self, bytes: &[u8]) -> Result<(), DumpError> {
        self.check_room()?;
        match self.content {
            Content::Fields(class) => self.fields(class, bytes),
            Content::Elements => self.elements(bytes),
            Content::Values => {}
        }
        Ok(())
    }

    fn end_object(&mut self) {
        self.edges.end_list();
    }
}
