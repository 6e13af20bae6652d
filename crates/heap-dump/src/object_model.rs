//! How the JVM of a dump lays out its objects: a dump has addresses, but neither sizes nor the options that decide on them.
//!
//! | JVM | header | array from | reference |
//! |---|---:|---:|---:|
//! | compact headers (JDK 24 and later) | 8 | 12 | 4 or 8 |
//! | compressed class pointers (the default) | 12 | 16 | 4 or 8 |
//! | neither, JDK 23 and later | 16 | 20 | 4 or 8 |
//! | neither, before | 16 | 24 | 4 or 8 |
//!
//! The addresses tell which of them it was: no object reaches beyond the start of the next, and in a heap that was collected
//! most end just there. So the model is the one that no object contradicts and by which most objects end where the next begins.

use rustc_hash::FxHashMap;

use crate::class_table::{ClassIndex, ClassTable};
use crate::field_layout::FieldLayout;
use crate::id_table::IdTable;
use crate::value_type::ValueType;

/// All objects begin at multiples of this.
const ALIGNMENT: u64 = 8;
/// Objects that are compared with the address of the next.
const MOST_PAIRS: usize = 1 << 21;
/// In a heap with references of 4 bytes, objects usually have addresses below this one.
const COMPRESSED_BELOW: u64 = 1 << 35;

/// Sizes of headers and references.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ObjectModel {
    /// Bytes before the first field.
    pub header: u64,
    /// Bytes before the first element, before it is aligned for its own size.
    pub array_base: u64,
    /// Bytes of a reference.
    pub reference: u64,
}

/// Of objects whose class pointers are compressed: what a JVM has if nothing else is asked for.
const USUAL: (u64, u64) = (12, 16);
const HEADERS: [(u64, u64); 4] = [USUAL, (8, 12), (16, 20), (16, 24)];

impl ObjectModel {
    /// Bytes of an array of this many elements of this size.
    pub fn array_bytes(&self, element: u64, length: u64) -> u64 {
        let base = self.array_base.next_multiple_of(element.max(1));
        (base + element * length).next_multiple_of(ALIGNMENT)
    }

    /// The same model with compact headers.
    pub fn with_compact_headers(self) -> Self {
        Self {
            header: 8,
            array_base: 12,
            ..self
        }
    }

    /// Bytes of an instance without the fields that are left out, by their place among all fields ([`ClassTable::fields`]).
    pub fn instance_bytes(
        &self,
        classes: &ClassTable,
        class: ClassIndex,
        is_left_out: impl Fn(usize) -> bool,
    ) -> u64 {
        let fields = classes.fields(class);
        let mut layout = FieldLayout::new(self.header);
        let mut end = fields.len();
        // Superclasses are laid out first; their fields come last in the dump.
        while end > 0 {
            let declared_by = fields.get(end - 1).map(|field| field.declared_by);
            let start = fields
                .iter()
                .position(|field| Some(field.declared_by) == declared_by);
            let start = start.unwrap_or(end - 1);
            let kept = (start..end).filter(|at| !is_left_out(*at));
            let sizes = kept.filter_map(|at| fields.get(at)).map(|field| field.ty);
            layout.add(sizes.map(|ty| self.bytes_of(ty)));
            end = start;
        }
        layout.end().next_multiple_of(ALIGNMENT)
    }

    fn bytes_of(&self, ty: ValueType) -> u64 {
        match ty {
            ValueType::Reference => self.reference,
            other => other.bytes(),
        }
    }

    /// The model of a dump, by the addresses of its objects; `lengths` as in a survey, by number.
    pub(crate) fn of(
        ids: &IdTable,
        classes: &ClassTable,
        (class_of, lengths): (&[ClassIndex], &[u32]),
    ) -> Self {
        let highest = ids
            .len()
            .checked_sub(1)
            .map_or(0, |last| ids.id(last as u32));
        let references = match highest < COMPRESSED_BELOW {
            true => [4, 8],
            false => [8, 4],
        };
        let models = references.into_iter().flat_map(|reference| {
            HEADERS.map(|(header, array_base)| Self {
                header,
                array_base,
                reference,
            })
        });
        let mut best = None;
        for model in models {
            let Some(ends) = model.ends(ids, classes, (class_of, lengths)) else {
                continue;
            };
            if best.is_none_or(|(_, most)| ends > most) {
                best = Some((model, ends));
            }
        }
        best.map_or(Self::usual(references[0]), |(model, _)| model)
    }

    fn usual(reference: u64) -> Self {
        Self {
            header: USUAL.0,
            array_base: USUAL.1,
            reference,
        }
    }

    /// How many objects end where the next begins; `None` if one reaches beyond that.
    fn ends(
        self,
        ids: &IdTable,
        classes: &ClassTable,
        (class_of, lengths): (&[ClassIndex], &[u32]),
    ) -> Option<u64> {
        let mut sizes = Sizes::new(self, classes);
        let step = (ids.len() / MOST_PAIRS).max(1);
        let mut ends = 0;
        for number in (0..ids.len().saturating_sub(1)).step_by(step) {
            let (class, length) = (*class_of.get(number)?, *lengths.get(number)?);
            let gap = ids.id(number as u32 + 1) - ids.id(number as u32);
            let bytes = sizes.bytes(class, length);
            if class == ClassTable::of_classes() || !gap.is_multiple_of(ALIGNMENT) {
                continue;
            }
            match bytes.cmp(&gap) {
                core::cmp::Ordering::Greater => return None,
                core::cmp::Ordering::Equal => ends += 1,
                core::cmp::Ordering::Less => {}
            }
        }
        Some(ends)
    }
}

/// Sizes of objects by class and length.
pub(crate) struct Sizes<'a> {
    model: ObjectModel,
    classes: &'a ClassTable,
    of_instances: FxHashMap<ClassIndex, u64>,
}

impl<'a> Sizes<'a> {
    pub(crate) fn new(model: ObjectModel, classes: &'a ClassTable) -> Self {
        Self {
            model,
            classes,
            of_instances: FxHashMap::default(),
        }
    }

    /// `length`: number of elements of an array.
    pub(crate) fn bytes(&mut self, class: ClassIndex, length: u32) -> u64 {
        let (model, classes) = (self.model, self.classes);
        match classes.element_bytes(class, model.reference) {
            Some(element) => model.array_bytes(element, u64::from(length)),
            None => *self
                .of_instances
                .entry(class)
                .or_insert_with(|| model.instance_bytes(classes, class, |_| false)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_begin_where_their_elements_are_aligned() {
        let usual = ObjectModel::usual(4);
        assert_eq!(usual.array_bytes(1, 24), 40);
        assert_eq!(usual.array_bytes(4, 10), 56);
        let compact = usual.with_compact_headers();
        assert_eq!(compact.array_bytes(1, 12), 24);
        assert_eq!(compact.array_bytes(8, 1), 24, "a long is aligned");
    }
}
