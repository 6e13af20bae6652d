//! Events of a trace added up by thread and by site.

use std::collections::BTreeMap;
use std::path::Path;

use ducktrack_count_model::{CountModelBuilder, TraceNames};
use ducktrack_trace_format::{
    Event, EventBlock, EventDecoder, FormatError, Place, Record, Snapshot, ThreadCut,
};
use ducktrack_trace_reader::{BufferDecoding, EventFiles, EventStep, TraceReader};

/// One thread's.
#[derive(Clone, Debug, Default)]
pub(crate) struct ThreadSums {
    pub(crate) name: String,
    pub(crate) on_heap: u64,
    pub(crate) gaps: u64,
    pub(crate) events: u64,
    pub(crate) dropped: u64,
    /// By the VM's own count.
    pub(crate) vm_allocated: u64,
}

/// All threads'.
#[derive(Debug, Default)]
pub(crate) struct Sums {
    pub(crate) threads: BTreeMap<u32, ThreadSums>,
    /// Executed allocations by site, from the event files.
    pub(crate) events: BTreeMap<u32, u64>,
    /// All of them, from the last snapshot.
    pub(crate) counted: i64,
    /// Events on the heap without a size.
    pub(crate) unknown_bytes: u64,
    pub(crate) damage: Vec<String>,
}

impl Sums {
    pub(crate) fn of(trace: &Path) -> Self {
        let mut sums = Self::default();
        let names = sums.read_records(trace);
        let mut files = EventFiles::open(trace).expect("event files");
        let mut decoding = BufferDecoding::default();
        while let Some(step) = files.next_step() {
            let buffers = match step {
                EventStep::Epoch(epoch) => epoch.buffers,
                EventStep::End(buffers) => buffers,
                _ => continue,
            };
            let mut workers = [&mut sums];
            decoding.decode(&buffers, &mut workers, |sums, content, again| {
                if again {
                    return Ok(());
                }
                sums.add(&names, content)
            });
        }
        files.note(&mut decoding);
        sums.damage = files
            .damage()
            .iter()
            .map(|(file, damage)| format!("{}: {damage:?}", file.display()))
            .collect();
        sums
    }

    fn read_records(&mut self, trace: &Path) -> TraceNames {
        let mut reader = TraceReader::open(trace).expect("a trace");
        let mut builder = CountModelBuilder::new();
        for record in reader.by_ref() {
            match &record {
                Record::Thread(thread) => {
                    self.threads.entry(thread.id.0).or_default().name = thread.name.clone();
                }
                Record::Snapshot(snapshot) => self.take_vm_counts(snapshot),
                _ => {}
            }
            builder.fold(record);
        }
        let (model, names) = builder.finish_trace();
        // The trace has the agent's own objects, and no total has them.
        self.counted = model.total.count + model.of_agent.count;
        names
    }

    fn take_vm_counts(&mut self, snapshot: &Snapshot) {
        for thread in &snapshot.threads {
            if let Some(bytes) = thread.vm_allocated_bytes {
                self.threads
                    .entry(thread.thread.0)
                    .or_default()
                    .vm_allocated = bytes;
            }
        }
    }

    fn add(&mut self, names: &TraceNames, content: &[u8]) -> Result<(), FormatError> {
        let block = EventBlock::decode(content)?;
        let thread = self.threads.entry(block.header.thread.0).or_default();
        let (events, unknown) = (&mut self.events, &mut self.unknown_bytes);
        EventDecoder::new(names).decode(&block, |event| match event {
            Event::Allocation(allocation) => {
                thread.events += 1;
                *events.entry(allocation.site.0).or_default() += 1;
                let place = match allocation.place {
                    Place::Straddler { allocated } => {
                        ThreadCut::settle(None, allocated, allocation.bytes)
                    }
                    place => place,
                };
                match (place.is_on_heap(), allocation.bytes) {
                    (true, Some(bytes)) => thread.on_heap += bytes,
                    (true, None) => *unknown += 1,
                    (false, _) => {}
                }
            }
            Event::Gap { bytes } => thread.gaps += bytes,
            Event::Dropped { count } => thread.dropped += count,
            _ => {}
        })?;
        Ok(())
    }

    /// Events of threads whose names begin so.
    pub(crate) fn events_of(&self, name: &str) -> u64 {
        self.named(name).map(|thread| thread.events).sum()
    }

    /// Events of such threads that the trace does not have.
    pub(crate) fn dropped_by(&self, name: &str) -> u64 {
        self.named(name).map(|thread| thread.dropped).sum()
    }

    fn named(&self, name: &str) -> impl Iterator<Item = &ThreadSums> {
        self.threads
            .values()
            .filter(move |thread| thread.name.starts_with(name))
    }
}
