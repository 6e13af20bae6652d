//! Threads that compress contents of blocks, while their order is kept elsewhere.
//!
//! Contents come in batches, since to wake a thread costs about as much as to read a whole buffer of events. Each batch with something to compress goes to
//! whichever thread is free; its packed form comes back through a channel of its own, so that the writer of the file can wait for the batches in order.

use std::sync::Arc;

use crossbeam_channel::{Receiver, Sender, bounded};
use ducktrack_trace_format::{Compression, PackedContent};

use super::EventHost;
use super::standstill::Standstill;

/// A content, and what is to be done with it.
pub(crate) struct Content {
    pub(crate) bytes: Vec<u8>,
    pub(crate) compression: Compression,
}

/// Each content of a batch, in order; `None`: it could not be packed.
type Packed = Vec<Option<PackedContent>>;

/// The packed batch, now or when it is there.
pub(crate) enum Packing {
    Done(Packed),
    Coming(Receiver<Packed>),
}

impl Packing {
    /// Waits for the packed contents; there are less of them when a thread has failed.
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

/// The threads.
pub(crate) struct Packers {
    jobs: Option<Sender<Job>>,
}

/// Batches that wait for each thread.
const WAITING_PER_THREAD: usize = 1;

impl Packers {
    /// Starts the threads. Where none can be started, contents are packed by the caller.
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

    /// Has a batch packed; waits while all threads are busy and enough batches wait.
    pub(crate) fn pack(&self, batch: Vec<Content>) -> Packing {
        let is_work = |content: &Content| content.compression == Compression::Lz4;
        let Some(jobs) = self.jobs.as_ref().filter(|_| batch.iter().any(is_work)) else {
            return Packing::Done(pack(batch));
        };
        let (done, packing) = bounded(1);
        match jobs.send(Job { batch, done }) {
            Ok(()) => Packing::Coming(packing),
            Err(refused) => Packing::Done(pack(refused.into_inner().batch)),
        }
    }
}

fn work(jobs: &Receiver<Job>, standstill: &Standstill) {
    while let Ok(job) = jobs.recv() {
        standstill.wait();
        let _ = job.done.send(pack(job.batch));
    }
}

fn pack(batch: Vec<Content>) -> Packed {
    // A content that is too large is never made (see the encoders' limits).
    let pack = |content: Content| PackedContent::pack_owned(content.bytes, content.compression);
    batch
        .into_iter()
        .map(|content| pack(content).ok())
        .collect()
}
