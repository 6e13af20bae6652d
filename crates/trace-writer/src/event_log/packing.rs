//! Threads that compress the contents of blocks; the caller keeps their order.
//!
//! Contents come in batches, since waking a thread costs about as much as reading a whole buffer of events. A batch with something to
//! compress goes to any free thread. Its packed form comes back through its own channel, so that the writer of the files can wait for the
//! batches in order.

use std::sync::Arc;

use crossbeam_channel::{Receiver, Sender, bounded};
use ducktrack_trace_format::{BlockKind, Compression, PackedContent};

use super::EventHost;
use super::standstill::Standstill;

/// The content of a block, and how to compress it.
pub(crate) struct Content {
    pub(crate) kind: BlockKind,
    pub(crate) bytes: Vec<u8>,
    pub(crate) compression: Compression,
    /// How many queued blocks it stands for: more than one for pieces in columns.
    pub(crate) parts: usize,
}

/// A block that is ready to be written.
pub(crate) struct PackedBlock {
    pub(crate) kind: BlockKind,
    /// `None` if it could not be packed.
    pub(crate) content: Option<PackedContent>,
    /// As in [`Content`].
    pub(crate) parts: usize,
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
            return Packing::Done(pack(batch, &mut Vec::new()));
        };
        let (done, packing) = bounded(1);
        match jobs.send(Job { batch, done }) {
            Ok(()) => Packing::Coming(packing),
            Err(refused) => {
                let batch = refused.into_inner().batch;
                Packing::Done(pack(batch, &mut Vec::new()))
            }
        }
    }
}

fn work(jobs: &Receiver<Job>, standstill: &Standstill) {
    let mut scratch = Vec::new();
    while let Ok(job) = jobs.recv() {
        standstill.wait();
        let _ = job.done.send(pack(job.batch, &mut scratch));
    }
}

fn pack(batch: Vec<Content>, scratch: &mut Vec<u8>) -> Packed {
    let pack = |content: Content| PackedBlock {
        kind: content.kind,
        // Fails only for a content that is too large, and the encoders' limits prevent that.
        content: PackedContent::pack_in_place(content.bytes, content.compression, scratch).ok(),
        parts: content.parts,
    };
    batch.into_iter().map(pack).collect()
}
