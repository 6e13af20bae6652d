//! Threads that compress the contents of blocks; the caller keeps their order.
//!
//! Contents come in batches, since waking a thread costs about as much as reading a whole buffer of events. A batch with something to
//! compress goes to any free thread. Its packed form comes back through its own channel, so that the writer of the files can wait for the
//! batches in order.

use std::sync::Arc;

use crossbeam_channel::{Receiver, Sender, bounded};
use ducktrack_trace_format::{BlockKind, Compression, EventColumnsEncoder, PackedContent};

use super::EventHost;
use super::standstill::Standstill;

/// The content of a block, and how to compress it.
pub(crate) struct Content {
    pub(crate) kind: BlockKind,
    pub(crate) bytes: Vec<u8>,
    pub(crate) compression: Compression,
    /// A piece that may share a block with its neighbours.
    pub(crate) in_columns: bool,
}

/// A block that is ready to be written.
pub(crate) struct PackedBlock {
    pub(crate) kind: BlockKind,
    /// `None` if it could not be packed.
    pub(crate) content: Option<PackedContent>,
    /// How many contents of the batch it holds.
    pub(crate) contents: usize,
}

/// The packed blocks of a batch, in order.
type Packed = Vec<PackedBlock>;

/// A packed batch that is ready, or the channel it will come through.
pub(crate) enum Packing {
    Done(Packed),
    Coming(Receiver<Packed>),
}

impl Packing {
    /// Waits for the packed contents; the list is empty if a thread has failed.
    pub(crate) fn wait(self) -> Packed {
        match self {
            Self::Done(packed) => packed,
            Self::Coming(packed) => packed.recv().unwrap_or_default(),
        }
    }
}

struct Job {
    batch: Vec<Content>,
    done: Sender<Packed>,
}

/// The compressing threads; without any, the caller compresses.
pub(crate) struct Packers {
    jobs: Option<Sender<Job>>,
}

/// Batches that may wait for each thread.
const WAITING_PER_THREAD: usize = 1;

impl Packers {
    /// Starts the threads. If none can be started, the caller packs the contents.
    pub(crate) fn start(
        threads: usize,
        host: &Arc<dyn EventHost>,
        standstill: &Arc<Standstill>,
    ) -> Self {
        let (sender, receiver) = bounded::<Job>(threads * WAITING_PER_THREAD);
        let mut started = 0;
        for number in 0..threads {
            let receiver = receiver.clone();
            let standstill = Arc::clone(standstill);
            let name = format!("ducktrack-lz4-{number}");
            let body = Box::new(move || work(&receiver, &standstill));
            if host.spawn(&name, body).is_ok() {
                started += 1;
            }
        }
        Self {
            jobs: (started > 0).then_some(sender),
        }
    }

    /// Packs a batch; waits while all threads are busy and their queues are full.
    pub(crate) fn pack(&self, batch: Vec<Content>) -> Packing {
        let is_work = |content: &Content| content.compression == Compression::Lz4;
        let Some(jobs) = self.jobs.as_ref().filter(|_| batch.iter().any(is_work)) else {
            return Packing::Done(pack(batch, &mut EventColumnsEncoder::default()));
        };
        let (done, packing) = bounded(1);
        match jobs.send(Job { batch, done }) {
            Ok(()) => Packing::Coming(packing),
            Err(refused) => {
                let batch = refused.into_inner().batch;
                Packing::Done(pack(batch, &mut EventColumnsEncoder::default()))
            }
        }
    }
}

fn work(jobs: &Receiver<Job>, standstill: &Standstill) {
    let mut encoder = EventColumnsEncoder::default();
    while let Ok(job) = jobs.recv() {
        standstill.wait();
        let _ = job.done.send(pack(job.batch, &mut encoder));
    }
}

fn pack(batch: Vec<Content>, encoder: &mut EventColumnsEncoder) -> Packed {
    let mut packed = Vec::with_capacity(batch.len());
    let mut rest = batch.into_iter().peekable();
    while let Some(first) = rest.next() {
        if !first.in_columns {
            packed.push(pack_one(first));
            continue;
        }
        let mut pieces = vec![first];
        while let Some(next) = rest.next_if(|next| next.in_columns) {
            pieces.push(next);
        }
        packed.push(pack_columns(&pieces, encoder));
    }
    packed
}

fn pack_one(content: Content) -> PackedBlock {
    PackedBlock {
        kind: content.kind,
        // Fails only for a content that is too large, and the encoders' limits prevent that.
        content: PackedContent::pack_owned(content.bytes, content.compression).ok(),
        contents: 1,
    }
}

/// A batch has a small part of what fits a block.
fn pack_columns(pieces: &[Content], encoder: &mut EventColumnsEncoder) -> PackedBlock {
    let content = encoder.encode(pieces.iter().map(|piece| piece.bytes.as_slice()));
    PackedBlock {
        kind: BlockKind::EVENT_COLUMNS,
        content: PackedContent::pack_owned(content, Compression::Lz4).ok(),
        contents: pieces.len(),
    }
}
