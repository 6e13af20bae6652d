//! Hands over to an event log what the naive machine did, as the agent does.

use ducktrack_trace_format::{
    Collection, CollectionCounts, EventBlock, HeapClass, HeapClassId, Survivor,
};
use ducktrack_trace_writer::{Buffer, EventLog, FlushOutcome};

use super::{CLASSES, KLASS, NaiveSurvivor, Piece};

/// The classes of the machine's objects.
pub fn heap_classes() -> Vec<HeapClass> {
    let classes = (0_u32..).zip(CLASSES).map(|(id, (name, size))| HeapClass {
        id: HeapClassId(id),
        name: name.into(),
        size,
        klass: KLASS + u64::from(id),
        fields: Vec::new(),
    });
    classes.collect()
}

/// Hands over a piece; the survivors are those of all collections. Files, synchronization points and explanations are the log's own work.
pub fn hand_over(log: &EventLog, piece: &Piece, survivors: &[Vec<NaiveSurvivor>]) -> FlushOutcome {
    match piece {
        Piece::Events(content) => {
            let block = EventBlock::decode(content).expect("its own block");
            log.buffer(Buffer {
                header: block.header,
                words: block.words.to_vec().into(),
            })
        }
        Piece::Collection(collection, _) => {
            let survivors = &survivors[collection.number as usize - 1];
            let collection = Collection {
                counts: CollectionCounts::default(),
                ..(**collection).clone()
            };
            let survivors: Vec<Survivor> = survivors.iter().map(of_collector).collect();
            log.collection(collection, survivors);
            FlushOutcome::Taken
        }
        Piece::File(_) | Piece::Sync(_) | Piece::Explained(_) | Piece::Uses(_) => {
            FlushOutcome::Taken
        }
    }
}

fn of_collector(survivor: &NaiveSurvivor) -> Survivor {
    let class = HeapClassId(survivor.class);
    Survivor::new(survivor.from, survivor.to, survivor.bytes, class)
}
