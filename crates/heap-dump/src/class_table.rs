//! The classes of a dump, and the references in their instances.

use rustc_hash::FxHashMap;

use crate::late_references::{Strength, strength};
use crate::record_walk::{ClassRecord, Identifier};
use crate::value_type::ValueType;

/// A class, by its index in [`ClassTable`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClassIndex(u32);

impl ClassIndex {
    /// Its place in lists by class.
    pub fn get(self) -> usize {
        self.0 as usize
    }
}

impl core::fmt::Debug for ClassIndex {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "class{}", self.0)
    }
}

/// A class of the dump.
#[derive(Clone, Debug, Default)]
pub(crate) struct DumpClass {
    /// Its class object; 0 if the dump does not have it.
    pub(crate) id: Identifier,
    /// The string with its name.
    name: Identifier,
    /// Its record in the heap section.
    pub(crate) record: ClassRecord,
}

/// A field of a class's instances.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClassField {
    /// Its name, by its string ([`ClassTable::string`]).
    pub name: Identifier,
    /// The type of its values.
    pub ty: ValueType,
    /// The class that declares it.
    pub declared_by: ClassIndex,
    /// Its offset in the instance data of the dump.
    pub offset: u32,
}

/// A reference field of a class's instances.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PlannedField {
    /// Its offset in the instance data.
    pub(crate) offset: u32,
    /// Its name.
    pub(crate) name: Identifier,
    /// The class that declares it.
    pub(crate) declared_by: ClassIndex,
    /// How it keeps its target.
    pub(crate) strength: Strength,
}

/// The reference fields of a class's instances.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ReferencePlan {
    /// By ascending offset.
    pub(crate) fields: Vec<PlannedField>,
    /// Of a weak or soft reference: where its referent and its queue are.
    pub(crate) weak: Option<WeakFields>,
    /// Bytes of all fields in the dump.
    pub(crate) bytes: u32,
}

/// The references by which a table may hold its keys or values.
const KINDS_OF_TABLES: [&str; 2] = ["java/lang/ref/WeakReference", "java/lang/ref/SoftReference"];

/// Offsets of fields of a weak or soft reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WeakFields {
    pub(crate) referent: u32,
    pub(crate) queue: u32,
}

/// The classes of the dump, in the order of the file.
#[derive(Clone, Debug, Default)]
pub struct ClassTable {
    classes: Vec<DumpClass>,
    by_id: FxHashMap<Identifier, ClassIndex>,
    by_serial: FxHashMap<u32, ClassIndex>,
    strings: FxHashMap<Identifier, Box<str>>,
}

/// Primitive types come first, in the order of their numbers in the format.
const PRIMITIVES: [ValueType; 8] = [
    ValueType::Boolean,
    ValueType::Char,
    ValueType::Float,
    ValueType::Double,
    ValueType::Byte,
    ValueType::Short,
    ValueType::Int,
    ValueType::Long,
];
/// The index after them is the class of class objects.
const CLASS_OBJECTS: ClassIndex = ClassIndex(PRIMITIVES.len() as u32);
/// Longest chain of superclasses that is followed.
const MOST_SUPERCLASSES: usize = 256;

impl ClassTable {
    pub(crate) fn new() -> Self {
        Self {
            classes: vec![DumpClass::default(); PRIMITIVES.len() + 1],
            ..Self::default()
        }
    }

    pub(crate) fn add_string(&mut self, id: Identifier, text: &[u8]) {
        self.strings
            .insert(id, String::from_utf8_lossy(text).into_owned().into());
    }

    pub(crate) fn add_name(&mut self, serial: u32, id: Identifier, name: Identifier) {
        let index = self.index(id);
        self.by_serial.insert(serial, index);
        if let Some(class) = self.classes.get_mut(index.0 as usize) {
            class.name = name;
        }
    }

    pub(crate) fn add_record(&mut self, record: ClassRecord) -> ClassIndex {
        let index = self.index(record.id);
        if let Some(class) = self.classes.get_mut(index.0 as usize) {
            class.record = record;
        }
        index
    }

    /// The class with this class object; added if it is new.
    pub(crate) fn index(&mut self, id: Identifier) -> ClassIndex {
        let next = ClassIndex(u32::try_from(self.classes.len()).unwrap_or(u32::MAX));
        let index = *self.by_id.entry(id).or_insert(next);
        if index == next {
            self.classes.push(DumpClass {
                id,
                ..DumpClass::default()
            });
        }
        index
    }

    /// The class of the arrays of a primitive type.
    pub(crate) fn of_primitives(ty: ValueType) -> ClassIndex {
        let place = PRIMITIVES.iter().position(|known| *known == ty);
        place.map_or(CLASS_OBJECTS, |place| ClassIndex(place as u32))
    }

    /// The class of all class objects.
    pub(crate) fn of_classes() -> ClassIndex {
        CLASS_OBJECTS
    }

    /// Number of classes.
    pub fn len(&self) -> usize {
        self.classes.len()
    }

    /// True if there is no class, which never happens for a dump that was read.
    pub fn is_empty(&self) -> bool {
        self.classes.is_empty()
    }

    /// All classes.
    pub fn indices(&self) -> impl Iterator<Item = ClassIndex> + use<> {
        (0..u32::try_from(self.classes.len()).unwrap_or(u32::MAX)).map(ClassIndex)
    }

    pub(crate) fn get(&self, index: ClassIndex) -> Option<&DumpClass> {
        self.classes.get(index.0 as usize)
    }

    /// The class of a class object.
    pub fn by_id(&self, id: Identifier) -> Option<ClassIndex> {
        self.by_id.get(&id).copied()
    }

    pub(crate) fn by_serial(&self, serial: u32) -> Option<ClassIndex> {
        self.by_serial.get(&serial).copied()
    }

    /// A string of the dump; empty if it is missing.
    pub fn string(&self, id: Identifier) -> &str {
        self.strings.get(&id).map_or("", |text| text)
    }

    /// Internal name of the class: `java/util/HashMap$Node`, `[B`; empty if it is missing.
    pub fn name(&self, index: ClassIndex) -> &str {
        match PRIMITIVES.get(index.0 as usize) {
            Some(ty) => ty.array_descriptor(),
            None if index == CLASS_OBJECTS => "java/lang/Class",
            None => self.get(index).map_or("", |class| self.string(class.name)),
        }
    }

    /// The class and its superclasses, most derived first.
    fn lineage(&self, index: ClassIndex) -> impl Iterator<Item = (ClassIndex, &DumpClass)> {
        let next = |index: &ClassIndex| self.by_id(self.get(*index)?.record.superclass);
        let all = core::iter::successors(Some(index), next).take(MOST_SUPERCLASSES);
        all.filter_map(|index| Some((index, self.get(index)?)))
    }

    /// True if the class or a superclass has this name.
    pub fn is_a(&self, index: ClassIndex, name: &str) -> bool {
        self.lineage(index)
            .any(|(_, class)| self.string(class.name) == name)
    }

    /// All fields of a class's instances, in the order of the dump: those of the class itself first.
    pub fn fields(&self, index: ClassIndex) -> Vec<ClassField> {
        let mut offset = 0;
        let mut fields = Vec::new();
        for (declared_by, class) in self.lineage(index) {
            for (name, ty) in &class.record.fields {
                fields.push(ClassField {
                    name: *name,
                    ty: *ty,
                    declared_by,
                    offset,
                });
                offset += ty.bytes() as u32;
            }
        }
        fields
    }

    /// Bytes of an element of this class's arrays; `None` if it is no class of arrays.
    pub fn element_bytes(&self, index: ClassIndex, reference: u64) -> Option<u64> {
        let mut name = self.name(index).bytes();
        if name.next() != Some(b'[') {
            return None;
        }
        Some(match name.next() {
            Some(b'J' | b'D') => 8,
            Some(b'I' | b'F') => 4,
            Some(b'S' | b'C') => 2,
            Some(b'B' | b'Z') => 1,
            _ => reference,
        })
    }

    /// The class that is the superclass; `None` of `java.lang.Object`, and of a class that the dump does not have.
    pub fn superclass(&self, index: ClassIndex) -> Option<ClassIndex> {
        self.by_id(self.get(index)?.record.superclass)
    }

    /// The name of a static field, by its place ([`HeapGraph::static_place`](crate::HeapGraph::static_place)).
    pub fn static_name(&self, index: ClassIndex, place: u32) -> Option<&str> {
        let (name, _) = self.get(index)?.record.statics.get(place as usize)?;
        Some(self.string(*name))
    }

    /// The offset of a primitive or reference field in instances.
    pub fn offset(&self, index: ClassIndex, class: &str, field: &str) -> Option<u32> {
        let mut offset = 0;
        for (_, declared_by) in self.lineage(index) {
            for (name, ty) in &declared_by.record.fields {
                if self.string(*name) == field && self.string(declared_by.name) == class {
                    return Some(offset);
                }
                offset += ty.bytes() as u32;
            }
        }
        None
    }

    /// True if a static field leads to its target and does not keep it.
    pub(crate) fn is_late_static(&self, index: ClassIndex, field: Identifier) -> bool {
        strength(self.name(index), self.string(field), |_| false) == Strength::Late
    }

    /// Of a class of weak or soft references.
    fn weak_fields(&self, index: ClassIndex) -> Option<WeakFields> {
        let of_reference = |field| self.offset(index, "java/lang/ref/Reference", field);
        let mut kinds = KINDS_OF_TABLES.iter();
        kinds.any(|kind| self.is_a(index, kind)).then_some(())?;
        Some(WeakFields {
            referent: of_reference("referent")?,
            queue: of_reference("queue")?,
        })
    }

    /// The references in instances that lead to objects.
    pub(crate) fn plan(&self, index: ClassIndex) -> ReferencePlan {
        let mut plan = ReferencePlan {
            weak: self.weak_fields(index),
            ..ReferencePlan::default()
        };
        for (declared_by, class) in self.lineage(index) {
            for (name, ty) in &class.record.fields {
                let of_class = self.string(class.name);
                let strength =
                    strength(of_class, self.string(*name), |name| self.is_a(index, name));
                if *ty == ValueType::Reference && strength != Strength::Weak {
                    plan.fields.push(PlannedField {
                        offset: plan.bytes,
                        name: *name,
                        declared_by,
                        strength,
                    });
                }
                let bytes = ty.bytes() as u32;
                plan.bytes = plan.bytes.saturating_add(bytes);
            }
        }
        plan
    }
}
