//! Holds classes of heap objects until the trace file has them, so that pauses need not write records.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use ducktrack_hotspot::FieldLayout;
use ducktrack_trace_format::{
    HeapClass, HeapClassId, HeapClassSize, HeapField, HeapLayout, Record,
};
use parking_lot::Mutex;

/// Numbers of classes that events name start here; those of the class table start at 0.
const FIRST_NAMED: u32 = 1 << 31;

/// Classes that wait to be written.
#[derive(Default)]
pub(crate) struct HeapClasses {
    /// The number of classes that events have named.
    named: AtomicU32,
    pending: Mutex<Pending>,
}

#[derive(Default)]
struct Pending {
    /// Classes that events have named.
    named: Vec<HeapClass>,
    /// Classes found in pauses, and their layouts.
    found: Vec<Arc<[HeapClass]>>,
    layouts: Vec<FieldLayout>,
}

impl HeapClasses {
    /// Adds a class that events refer to by address. Its number is distinct from those of the class table.
    pub(crate) fn add_named(&self, name: &str, klass: usize, size: HeapClassSize) {
        let number = self.named.fetch_add(1, Ordering::Relaxed);
        self.pending.lock().named.push(HeapClass {
            id: HeapClassId(FIRST_NAMED | number),
            name: name.to_owned(),
            size,
            klass: klass as u64,
            fields: Vec::new(),
        });
    }

    /// Adds classes found in a pause, and field layouts.
    pub(crate) fn add_found(&self, classes: &Arc<[HeapClass]>, layouts: Vec<FieldLayout>) {
        let mut pending = self.pending.lock();
        pending.layouts.extend(layouts);
        if !classes.is_empty() {
            pending.found.push(Arc::clone(classes));
        }
    }

    /// Takes the records that are not written yet.
    pub(crate) fn take_pending(&self) -> Vec<Record> {
        let Pending {
            named,
            found,
            layouts,
        } = std::mem::take(&mut *self.pending.lock());
        let found = found.iter().flat_map(|classes| classes.iter().cloned());
        let classes = named.into_iter().chain(found).map(Record::HeapClass);
        let layouts = layouts.into_iter().map(heap_layout);
        classes.chain(layouts.map(Record::HeapLayout)).collect()
    }
}

fn heap_layout(layout: FieldLayout) -> HeapLayout {
    let text = |bytes: &[u8]| ducktrack_classfile::decode_modified_utf8(bytes).into_owned();
    let fields = layout.fields.iter().map(|field| HeapField {
        name: text(&field.name),
        descriptor: text(&field.descriptor),
        offset: Some(field.offset),
    });
    HeapLayout {
        class: HeapClassId(layout.class.0),
        superclass: layout.superclass.map(|class| HeapClassId(class.0)),
        fields: fields.collect(),
    }
}
