//! Where the bridge's records go: in lists of a bounded length, so that memory does not depend on how much happens between two collections.

use ducktrack_merlin::{Definition, Reading, Record};

/// Records of one list.
const MOST: usize = 1 << 12;

/// Takes records, and hands lists of them on.
pub(crate) struct BridgeOutput<'a> {
    records: Vec<Record>,
    sink: &'a mut dyn FnMut(Vec<Record>),
}

impl<'a> BridgeOutput<'a> {
    pub(crate) fn new(sink: &'a mut dyn FnMut(Vec<Record>)) -> Self {
        Self {
            records: Vec::new(),
            sink,
        }
    }

    #[inline]
    pub(crate) fn push(&mut self, record: Record) {
        if self.records.len() == self.records.capacity() {
            self.make_room();
        }
        self.records.push(record);
    }

    #[cold]
    fn make_room(&mut self) {
        if self.records.len() >= MOST {
            let full = std::mem::replace(&mut self.records, Vec::with_capacity(MOST));
            (self.sink)(full);
        } else {
            let more = self.records.len().max(64).min(MOST - self.records.len());
            self.records.reserve_exact(more);
        }
    }

    pub(crate) fn define(&mut self, definition: Definition) {
        self.push(Record::Definition(Box::new(definition)));
    }

    /// States a fact about the stream.
    pub(crate) fn fact(&mut self, key: &str, value: impl Into<String>) {
        let (key, value) = (key.to_owned(), value.into());
        self.define(Definition::Fact { key, value });
    }

    /// Reads clocks.
    pub(crate) fn tick(&mut self, advance: u64, bytes: Option<u64>, micros: Option<u64>) {
        self.push(Record::Tick {
            advance,
            reading: Reading {
                bytes,
                calls: None,
                micros,
            },
        });
    }

    /// Hands on what is left.
    pub(crate) fn finish(self) {
        if !self.records.is_empty() {
            (self.sink)(self.records);
        }
    }
}
