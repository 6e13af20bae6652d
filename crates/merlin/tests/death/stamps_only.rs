//! The stream of level `deaths` of the same program: no uses, no updates; each dead object brings its stamps and what it
//! refers to.

use std::collections::BTreeMap;

use ducktrack_merlin::{Definition, ObjectId, Reading, Record, SlotId, Time};

use crate::program::Machine;

#[derive(Default)]
struct Stamps {
    used: BTreeMap<ObjectId, Time>,
    lost: BTreeMap<ObjectId, Time>,
}

pub(crate) fn stamps_only(machine: &Machine) -> Vec<Record> {
    let level = Definition::Fact {
        key: "level".to_owned(),
        value: "deaths".to_owned(),
    };
    let mut out = vec![Record::Definition(Box::new(level))];
    let (mut stamps, mut time) = (Stamps::default(), 0);
    let mut skipped = 0;
    for record in &machine.records {
        if record.is_event() {
            time += 1;
            stamps.note(record, time);
        }
        match record {
            Record::Allocation(_) | Record::Collection { .. } => {
                if skipped > 0 {
                    out.push(Record::Tick {
                        advance: skipped,
                        reading: Reading::default(),
                    });
                    skipped = 0;
                }
                out.push(record.clone());
            }
            Record::Dead(object) => {
                out.push(record.clone());
                out.push(Record::Stamp {
                    object: *object,
                    used: stamps.used.get(object).copied(),
                    lost: stamps.lost.get(object).copied(),
                });
                let fields = machine.fields_of(*object).into_iter();
                out.extend(fields.map(|(slot, target)| Record::Reference {
                    slot: SlotId(slot),
                    target,
                }));
            }
            Record::CollectionEnd => out.push(record.clone()),
            _ => skipped += 1,
        }
    }
    out
}

impl Stamps {
    fn note(&mut self, record: &Record, time: Time) {
        let used = match record {
            Record::Allocation(allocation) => Some(allocation.object),
            Record::Update { source, .. } => *source,
            Record::Use(object) | Record::Root { object, .. } => Some(*object),
            Record::Entry { receiver, .. } => *receiver,
            Record::ExceptionalExit { exception, .. } => *exception,
            _ => None,
        };
        self.used.extend(used.map(|object| (object, time)));
        if let Record::Update { old: Some(old), .. } = record {
            self.lost.insert(*old, time);
        }
    }
}
