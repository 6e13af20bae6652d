//! Which fields of a class have values in its instances.

use ducktrack_heap_dump::{ClassField, ClassIndex, ClassTable, is_own_class};

/// Which fields of a class's instances have ever had a value.
#[derive(Clone, Debug)]
pub(crate) struct FieldUse {
    pub(crate) fields: Vec<ClassField>,
    pub(crate) is_used: Vec<bool>,
    pub(crate) objects: u64,
}

impl FieldUse {
    pub(crate) fn of(classes: &ClassTable, class: ClassIndex) -> Self {
        let fields = classes.fields(class);
        // A field that a class of the JDK declares cannot be left out.
        let is_used = fields
            .iter()
            .map(|field| !is_own_class(classes.name(field.declared_by)));
        Self {
            is_used: is_used.collect(),
            fields,
            objects: 0,
        }
    }

    /// Takes the fields of one more instance.
    pub(crate) fn note(&mut self, bytes: &[u8]) {
        self.objects += 1;
        for (field, is_used) in self.fields.iter().zip(&mut self.is_used) {
            if !*is_used {
                let start = field.offset as usize;
                let value = bytes.get(start..start + field.ty.bytes() as usize);
                *is_used = value.is_none_or(|value| value.iter().any(|byte| *byte != 0));
            }
        }
    }
}
