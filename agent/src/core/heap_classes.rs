//! Classes of objects in the heap, until the trace file has them. To put what pauses found into records can wait.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use ducktrack_hotspot::FieldLayout;
use ducktrack_trace_format::{
    HeapClass, HeapClassId, HeapClassSize, HeapField, HeapLayout, Record,
};
use parking_lot::Mutex;

/// Numbers of classes that events name; the class table counts from 0 on.
const FIRST_NAMED: u32 = 1 << 31;

/// See the module.
#[derive(Default)]
pub(crate) struct HeapClasses {
    /// Classes that events have named.
    named: AtomicU32,
    pending: Mutex<Pending>,
}

#[derive(Default)]
struct Pending {
    /// Classes that events have named.
    named: Vec<HeapClass>,
    /// Classes that pauses found, and their layouts.
    found: Vec<Arc<[HeapClass]>>,
    layouts: Vec<FieldLayout>,
}

impl HeapClasses {
    /// A class whose objects' events name its address. Its number is none of the class table's.
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

    /// Classes that a pause has found, and layouts of fields.
    pub(crate) fn add_found(&self, classes: &Arc<[HeapClass]>, layouts: Vec<FieldLayout>) {
        let mut pending = self.pending.lock();
        pending.layouts.extend(layouts);
        if !classes.is_empty() {
            pending.found.push(Arc::clone(classes));
        }
    }

    /// Records that are not written yet.
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
