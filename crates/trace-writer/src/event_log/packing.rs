//! Threads that compress contents of blocks, while their order is kept elsewhere.
//!
//! Each content goes to whichever thread is free; its packed form comes back through a channel of its own, so that the
//! writer of the file can wait for the contents in order.

use std::sync::Arc;

use crossbeam_channel::{Receiver, Sender, bounded};
use ducktrack_trace_format::{Compression, PackedContent};

use super::EventHost;
use super::standstill::Standstill;

/// The packed content when it is there. An error: it could not be packed.
pub(crate) type Packing = Receiver<PackedContent>;

struct Job {
    content: Vec<u8>,
    compression: Compression,
    done: Sender<PackedContent>,
}

/// The threads.
pub(crate) struct Packers {
    jobs: Option<Sender<Job>>,
}

/// Contents that wait for each thread.
const WAITING_PER_THREAD: usize = 4;

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

    /// Has a content packed; waits while all threads are busy and enough contents wait.
    pub(crate) fn pack(&self, content: Vec<u8>, compression: Compression) -> Packing {
        let (done, packing) = bounded(1);
        let job = Job {
            content,
            compression,
            done,
        };
        match (&self.jobs, compression) {
            (Some(jobs), Compression::Lz4) => {
                if let Err(refused) = jobs.send(job) {
                    pack(refused.into_inner());
                }
            }
            _ => pack(job),
        }
        packing
    }
}

fn work(jobs: &Receiver<Job>, standstill: &Standstill) {
    while let Ok(job) = jobs.recv() {
        standstill.wait();
        pack(job);
    }
}

fn pack(job: Job) {
    // A content that is too large is never made (see the encoders' limits); if one were, its channel just closes.
    if let Ok(packed) = PackedContent::pack_owned(job.content, job.compression) {
        let _ = job.done.send(packed);
    }
}
