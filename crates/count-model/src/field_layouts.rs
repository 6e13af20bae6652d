//! Where the objects of each class have their fields.

use std::collections::hash_map::Entry;

use ducktrack_trace_format::{HeapClass, HeapClassId, HeapClassSize, HeapField, HeapLayout};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::stable_name::stable_descriptor;

/// No class has more superclasses; a chain that does not end is a contradiction.
const MOST_SUPERCLASSES: usize = 1000;

/// The layouts of all classes of a trace.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FieldLayouts {
    classes: FxHashMap<HeapClassId, Known>,
}

#[derive(Clone, Debug, PartialEq)]
struct Known {
    class: HeapClass,
    layout: Option<HeapLayout>,
}

/// How objects of one class are laid out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClassLayout {
    /// Descriptor with stable names.
    pub ty: String,
    /// Bytes of an object; `None`: each has its own size (`java.lang.Class`: its static fields follow).
    pub bytes: Option<u32>,
    /// Fields, those of superclasses included, ascending by offset.
    pub fields: Vec<LayoutField>,
}

/// A field of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LayoutField {
    /// Bytes from the start of the object.
    pub offset: u32,
    /// Its type as a descriptor.
    pub descriptor: String,
    /// Its name.
    pub name: String,
    /// The class that declares it, as a descriptor with stable names.
    pub declared_by: String,
}

impl FieldLayouts {
    pub(crate) fn add_class(&mut self, class: HeapClass) {
        if matches!(class.size, HeapClassSize::Array { .. }) {
            return;
        }
        if let Entry::Vacant(place) = self.classes.entry(class.id) {
            place.insert(Known {
                class,
                layout: None,
            });
        }
    }

    pub(crate) fn add_layout(&mut self, layout: HeapLayout) {
        if let Some(known) = self.classes.get_mut(&layout.class) {
            known.layout = Some(layout);
        }
    }

    /// Number of classes, without arrays, and how many of them have a layout that is known with all its superclasses. A class that has two
    /// definitions, one by an event and one by a collection, counts once.
    pub fn counts(&self) -> (u64, u64) {
        let mut classes: FxHashMap<(u64, String), bool> = FxHashMap::default();
        for known in self.classes.values() {
            // Events write a hidden class `Name.0x...`, the VM `Name+0x...`.
            let key = (known.class.klass, ty(known));
            *classes.entry(key).or_default() |= self.fields_of(known).is_some();
        }
        let with_layout = classes.values().filter(|known| **known).count();
        (classes.len() as u64, with_layout as u64)
    }

    /// Layouts of the classes whose type (a descriptor with stable names) is
    /// wanted, by type. Classes of the same name that are laid out alike are one.
    pub fn select(&self, wanted: impl Fn(&str) -> bool) -> Vec<ClassLayout> {
        let mut layouts: Vec<ClassLayout> = self
            .classes
            .values()
            .filter_map(|known| {
                let ty = ty(known);
                if !wanted(&ty) {
                    return None;
                }
                let fields = self.fields_of(known)?;
                let bytes = match known.class.size {
                    HeapClassSize::Instance(bytes) => Some(bytes),
                    _ => None,
                };
                Some(ClassLayout { ty, bytes, fields })
            })
            .collect();
        layouts.sort_by(|a, b| (&a.ty, a.bytes).cmp(&(&b.ty, b.bytes)));
        layouts.dedup();
        layouts
    }

    /// Types (descriptors with stable names) of the classes that have one of these as a superclass, as far as that is known.
    pub fn subclasses_of(&self, types: &[&str]) -> FxHashSet<String> {
        let has = |known: &&Known| {
            let superclasses = self.superclasses(known);
            superclasses.skip(1).any(|one| types.contains(&&*ty(one)))
        };
        self.classes.values().filter(has).map(ty).collect()
    }

    /// A class, and what it extends.
    fn superclasses<'a>(&'a self, class: &'a Known) -> impl Iterator<Item = &'a Known> {
        let next = |known: &&'a Known| self.classes.get(&known.layout.as_ref()?.superclass?);
        core::iter::successors(Some(class), next).take(MOST_SUPERCLASSES)
    }

    /// All fields of a class; `None`: its layout or that of a superclass is not known.
    fn fields_of(&self, class: &Known) -> Option<Vec<LayoutField>> {
        if !class.class.fields.is_empty() {
            return placed(&class.class.fields, &ty(class));
        }
        let mut fields = Vec::new();
        let mut next = Some(class);
        for _ in 0..MOST_SUPERCLASSES {
            let Some(known) = next else {
                fields.sort_by_key(|field: &LayoutField| field.offset);
                return Some(fields);
            };
            let layout = known.layout.as_ref()?;
            fields.extend(placed(&layout.fields, &ty(known))?);
            next = match layout.superclass {
                Some(superclass) => Some(self.classes.get(&superclass)?),
                None => None,
            };
        }
        None
    }
}

fn placed(fields: &[HeapField], class: &str) -> Option<Vec<LayoutField>> {
    let of = |field: &HeapField| {
        Some(LayoutField {
            offset: field.offset?,
            descriptor: field.descriptor.clone(),
            name: field.name.clone(),
            declared_by: class.to_owned(),
        })
    };
    fields.iter().map(of).collect()
}

fn ty(known: &Known) -> String {
    stable_descriptor(&format!("L{};", known.class.name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn class(id: u32, name: &str, bytes: u32) -> HeapClass {
        HeapClass {
            id: HeapClassId(id),
            name: name.into(),
            size: HeapClassSize::Instance(bytes),
            klass: u64::from(id) * 64,
            fields: Vec::new(),
        }
    }

    fn field(name: &str, descriptor: &str, offset: u32) -> HeapField {
        HeapField {
            name: name.into(),
            descriptor: descriptor.into(),
            offset: Some(offset),
        }
    }

    fn layout(class: u32, superclass: Option<u32>, fields: Vec<HeapField>) -> HeapLayout {
        HeapLayout {
            class: HeapClassId(class),
            superclass: superclass.map(HeapClassId),
            fields,
        }
    }

    fn points() -> FieldLayouts {
        let mut layouts = FieldLayouts::default();
        layouts.add_class(class(0, "java/lang/Object", 16));
        layouts.add_class(class(1, "Point", 24));
        layouts.add_class(class(2, "Point3", 24));
        layouts.add_class(class(3, "Other", 32));
        layouts.add_layout(layout(0, None, vec![]));
        let fields = vec![field("x", "I", 12), field("y", "I", 20)];
        layouts.add_layout(layout(1, Some(0), fields));
        layouts.add_layout(layout(2, Some(1), vec![field("z", "B", 16)]));
        layouts
    }

    #[test]
    fn fields_of_superclasses_stand_among_the_own_ones() {
        let selected = points().select(|ty| ty == "LPoint3;");
        assert_eq!(selected.len(), 1);
        let fields: Vec<_> = selected[0]
            .fields
            .iter()
            .map(|field| {
                (
                    field.offset,
                    field.name.as_str(),
                    field.declared_by.as_str(),
                )
            })
            .collect();
        let expected = [
            (12, "x", "LPoint;"),
            (16, "z", "LPoint3;"),
            (20, "y", "LPoint;"),
        ];
        assert_eq!(fields, expected);
    }

    #[test]
    fn subclasses_of_subclasses_are_known() {
        let mut layouts = points();
        let of = |layouts: &FieldLayouts, ty| {
            let mut all: Vec<String> = layouts.subclasses_of(&[ty]).into_iter().collect();
            all.sort();
            all
        };
        assert_eq!(
            of(&layouts, "Ljava/lang/Object;"),
            ["LPoint3;", "LPoint;"].map(str::to_owned)
        );
        assert_eq!(of(&layouts, "LPoint;"), ["LPoint3;".to_owned()]);
        // Its layout is not known, or its chain does not end.
        assert!(of(&layouts, "LOther;").is_empty());
        layouts.add_class(class(6, "Round", 24));
        layouts.add_layout(layout(6, Some(6), vec![]));
        assert_eq!(of(&layouts, "LPoint;").len(), 1);
    }

    #[test]
    fn no_fields_is_not_the_same_as_not_known() {
        let layouts = points();
        assert_eq!(layouts.counts(), (4, 3));
        assert_eq!(layouts.select(|ty| ty == "LOther;"), []);
        let object = layouts.select(|ty| ty == "Ljava/lang/Object;");
        assert_eq!(object.len(), 1);
        assert!(object[0].fields.is_empty());
    }

    #[test]
    fn one_class_defined_twice_counts_once() {
        let mut layouts = points();
        let mut again = class(1 << 31 | 7, "Point", 24);
        again.klass = 64;
        layouts.add_class(again);
        assert_eq!(layouts.counts(), (4, 3));
        assert_eq!(layouts.select(|ty| ty == "LPoint;").len(), 1);
    }

    #[test]
    fn a_missing_superclass_and_a_circle_are_not_known() {
        let mut layouts = points();
        layouts.add_class(class(5, "Lost", 24));
        layouts.add_layout(layout(5, Some(99), vec![]));
        layouts.add_class(class(6, "Round", 24));
        layouts.add_layout(layout(6, Some(6), vec![]));
        assert_eq!(layouts.counts(), (6, 3));
    }
}
