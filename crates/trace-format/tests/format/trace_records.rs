//! The golden trace of the records that only `mode=trace` writes, with every variant of each.

use ducktrack_trace_format::{
    BlockKind, CallSiteId, CalledSite, FIRST_CALLED_SITE, HeapClass, HeapClassId, HeapClassSize,
    HeapField, HeapLayout, Record, SiteId,
};

/// The blocks of the trace.
pub(crate) fn blocks() -> Vec<(BlockKind, Vec<Record>)> {
    vec![(BlockKind::DEFINITIONS, records())]
}

fn records() -> Vec<Record> {
    vec![
        class(0, "java/lang/String", HeapClassSize::Instance(24)),
        class(
            1,
            "[I",
            HeapClassSize::Array {
                element: 4,
                base: 16,
            },
        ),
        class(70_000, "java/lang/Class", HeapClassSize::PerObject),
        Record::Note("Moves are not recorded: the collector is ZGC.".into()),
        layout(0, Some(9), vec![field("value", "[B", Some(20))]),
        layout(9, None, vec![field("injected", "I", None)]),
        Record::CalledSite(CalledSite {
            id: SiteId(FIRST_CALLED_SITE + 300),
            site: SiteId(16),
            caller: CallSiteId(70_000),
        }),
    ]
}

fn class(id: u32, name: &str, size: HeapClassSize) -> Record {
    Record::HeapClass(HeapClass {
        id: HeapClassId(id),
        name: name.into(),
        size,
        klass: 0x7F00_1234_5678 + u64::from(id),
        fields: vec![field("hash", "I", Some(12))],
    })
}

fn layout(class: u32, superclass: Option<u32>, fields: Vec<HeapField>) -> Record {
    Record::HeapLayout(HeapLayout {
        class: HeapClassId(class),
        superclass: superclass.map(HeapClassId),
        fields,
    })
}

fn field(name: &str, descriptor: &str, offset: Option<u32>) -> HeapField {
    HeapField {
        name: name.into(),
        descriptor: descriptor.into(),
        offset,
    }
}
