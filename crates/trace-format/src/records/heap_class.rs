//! Classes of objects in the heap, with the VM's layout.

use serde::{Deserialize, Serialize};

use crate::ids::HeapClassId;

/// A class of objects in the heap, with the VM's layout. Event files refer to classes by these ids.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HeapClass {
    /// Its id.
    pub id: HeapClassId,
    /// As a descriptor without `L` and `;` (`java/lang/String`); arrays as descriptors (`[I`, `[Ljava/lang/String;`).
    pub name: String,
    /// How large its objects are.
    pub size: HeapClassSize,
    /// Address of the class in the VM. After a class is unloaded, another class, with another id, may get its address.
    pub klass: u64,
    /// Fields of its objects, including inherited ones; empty if a [`HeapLayout`] has them or they are unknown.
    pub fields: Vec<HeapField>,
}

/// The sizes of the objects of a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum HeapClassSize {
    /// All have this many bytes.
    Instance(u32),
    /// Arrays with elements of this many bytes.
    Array {
        /// Bytes of an element.
        element: u8,
        /// Offset of the first element.
        base: u8,
    },
    /// Each object has its own size.
    PerObject,
}

/// The field offsets of a class's objects. The layout of a class without this record, and without fields in its [`HeapClass`], is unknown.
///
/// Example: objects of `class Point3 extends Point { byte z; }`, where `Point` has two `int`,
/// have `x` at 12, `y` at 16 (from the layout of `Point`) and `z` at 20 (from this one).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HeapLayout {
    /// The class; defined before.
    pub class: HeapClassId,
    /// The superclass, whose fields its objects have as well; `None` for `java/lang/Object`.
    pub superclass: Option<HeapClassId>,
    /// The instance fields that the class itself declares, or that the VM adds to it, ascending by offset.
    pub fields: Vec<HeapField>,
}

/// A field of the objects of a class.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HeapField {
    /// Name of the field.
    pub name: String,
    /// Type of the field as a descriptor.
    pub descriptor: String,
    /// Offset in the object, if known.
    pub offset: Option<u32>,
}
