//! Builds traces block by block.

use ducktrack_trace_format::{
    BlockKind, Compression, CounterId, End, FileHeader, Record, RecordStream, Refusal, Run, SiteId,
    Snapshot, ThreadCounts, ThreadId, encode_block, push_record,
};

/// A trace under construction.
pub(crate) struct TraceBytes {
    pub(crate) bytes: Vec<u8>,
    pub(crate) next_sequence: u32,
    /// Ends of the header and of each block.
    pub(crate) ends: Vec<usize>,
}

impl TraceBytes {
    pub(crate) fn new() -> Self {
        let bytes = FileHeader::current().encode().to_vec();
        Self {
            ends: vec![bytes.len()],
            bytes,
            next_sequence: 0,
        }
    }

    pub(crate) fn block(mut self, kind: BlockKind, records: &[Record]) -> Self {
        let mut content = Vec::new();
        for record in records {
            push_record(record, &mut content).unwrap();
        }
        self = self.raw_block(kind, &content);
        self
    }

    pub(crate) fn raw_block(mut self, kind: BlockKind, content: &[u8]) -> Self {
        encode_block(
            kind,
            self.next_sequence,
            content,
            Compression::Lz4,
            &mut self.bytes,
        )
        .unwrap();
        self.next_sequence += 1;
        self.ends.push(self.bytes.len());
        self
    }

    /// The bytes of the block with this index.
    pub(crate) fn block_bytes(&self, index: usize) -> &[u8] {
        &self.bytes[self.ends[index]..self.ends[index + 1]]
    }
}

pub(crate) fn run() -> Record {
    Record::Run(Run {
        pid: 4711,
        command: "Main one two".into(),
        ..Run::default()
    })
}

pub(crate) fn snapshot(sequence: u32, value: u64) -> Record {
    let counters = (0..40).map(|counter| (CounterId(counter), value)).collect();
    Record::Snapshot(Snapshot {
        sequence,
        cause: "interval".into(),
        threads: vec![ThreadCounts {
            thread: ThreadId(1),
            vm_allocated_bytes: Some(value * 16),
            counters,
            keyed: vec![],
        }],
        ..Snapshot::default()
    })
}

pub(crate) fn refusal(reason: &str) -> Record {
    Record::Refusal(Refusal {
        class: "a/B".into(),
        method: None,
        reason: reason.into(),
        sites: 3,
    })
}

pub(crate) fn size(site: u32) -> Record {
    Record::SiteSize {
        site: SiteId(site),
        bytes: 24,
    }
}

pub(crate) fn end() -> Record {
    Record::End(End {
        unix_millis: 9,
        cause: "exit".into(),
        losses: vec![],
    })
}

/// Definitions, a snapshot, definitions, a snapshot, and the end, with some blocks compressed.
pub(crate) fn small_trace() -> TraceBytes {
    TraceBytes::new()
        .block(
            BlockKind::DEFINITIONS,
            &[run(), size(1), refusal("method-too-large")],
        )
        .block(BlockKind::VALUES, &[snapshot(0, 5)])
        .block(BlockKind::DEFINITIONS, &[size(2), size(3)])
        .block(BlockKind::VALUES, &[snapshot(1, 70_000)])
        .block(BlockKind::END, &[end()])
}

/// All records of a trace that is known to be intact, read without the reader.
pub(crate) fn records_of(trace: &TraceBytes) -> Vec<Vec<Record>> {
    (0..trace.ends.len() - 1)
        .map(|index| {
            let block = trace.block_bytes(index);
            let header = ducktrack_trace_format::BlockHeader::decode(block).unwrap();
            let stored = &block[ducktrack_trace_format::BlockHeader::LENGTH..];
            let content = ducktrack_trace_format::decode_content(&header, stored).unwrap();
            RecordStream::new(&content).map(Result::unwrap).collect()
        })
        .collect()
}
