//! What is in the trace.

use ducktrack_heap_replay::{
    CollectionNumber, EventFileRow, EventSums, HeapKnowledge, Quality, Rotation, TraceInfo,
};
use ducktrack_live_heap::Amount;

use super::{Heap, START, STEP};

impl Heap<'_> {
    pub(super) fn info(&self) -> TraceInfo {
        let allocated: Amount = self.sites.iter().map(|site| self.allocated(*site)).sum();
        let total = self.total(self.collections - 1);
        let quality = |collection: u32| Quality {
            collection,
            objects: self.total(collection).count,
            with_site: self.total(collection).count - 100,
        };
        TraceInfo {
            files: (3..6).map(file).collect(),
            sums: EventSums {
                events: allocated.count + 900_000,
                allocated,
                eliminated: 900_000,
                gaps: 412,
                gap_bytes: 98_304,
                buffers: 500,
                ..EventSums::default()
            },
            blocks: 700,
            event_bytes: (allocated.count + 900_000) * 4 + 12_000,
            survivors: total.count * 3,
            moved: total.count * 2,
            found: 100,
            move_bytes: total.count,
            sync_objects: 2 * total.count,
            sync_bytes: 9 * total.count,
            plain_bytes: (allocated.count + 900_000) * 4 + 12_000 + 10 * total.count,
            stored_bytes: (allocated.count + 900_000) / 2,
            collections: u64::from(self.collections),
            first_collection: Some(CollectionNumber(0)),
            last_collection: Some(CollectionNumber(self.collections - 1)),
            level: "exact".into(),
            knowledge: HeapKnowledge::Known,
            rotations: vec![Rotation {
                file: 4,
                collection: self.collections / 2,
                objects: self.total(self.collections / 2).count,
                differences: Some(0),
                quality: (self.collections / 2..self.collections)
                    .take(10)
                    .map(quality)
                    .collect(),
            }],
            start_micros: START + 20_000,
            end_micros: START + STEP * u64::from(self.collections + 1),
            ..TraceInfo::default()
        }
    }
}

fn file(index: u64) -> EventFileRow {
    EventFileRow {
        name: format!("events-{index:08}.trace"),
        index,
        bytes: 1_000_000 + index,
        blocks: 230,
        collections: 4,
    }
}
