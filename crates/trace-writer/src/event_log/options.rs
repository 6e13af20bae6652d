//! How events are written.

use std::io;

use ducktrack_trace_format::{CallSiteId, SiteId};

/// How events are written.
#[derive(Clone, Debug, PartialEq)]
pub struct EventOptions {
    /// What is compressed.
    pub compress: CompressStrategy,
    /// All event files together may have this many bytes; `None`: no limit, one file.
    pub max_trace_size: Option<u64>,
    /// By which part of `max_trace_size` the files may fall short of it after a rotation, or exceed it while a collection
    /// is awaited. Between 0.01 and 1.
    pub max_deviation: f64,
    /// How many buffers may wait for the pipeline.
    pub queue_length: usize,
    /// What becomes of a buffer when this many wait.
    pub on_full: OnFull,
    /// Threads that compress; 0: as many as there are cores, at most 2.
    pub compressors: usize,
    /// False where moves are never known (ZGC, Shenandoah, `moves=off`): no mirror, no synchronization points.
    pub moves: bool,
    /// The most bytes that the mirror and the events that wait for a collection may take; beyond, moves are not known any more.
    pub most_mirror_bytes: Option<u64>,
    /// Process id of the JVM, for the files.
    pub pid: u32,
    /// When the run began, milliseconds since 1970, for the files.
    pub start_unix_millis: u64,
}

impl Default for EventOptions {
    fn default() -> Self {
        Self {
            compress: CompressStrategy::Full,
            max_trace_size: None,
            max_deviation: 0.25,
            queue_length: 1_024,
            on_full: OnFull::Wait,
            compressors: 0,
            moves: true,
            most_mirror_bytes: None,
            pid: 0,
            start_unix_millis: 0,
        }
    }
}

/// What is compressed: the two strategies of the paper (section 3.1), and nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum CompressStrategy {
    /// Every block.
    #[default]
    Full,
    /// Blocks that come while the queue is filled to this part or more (0.2 is a good value).
    Partial(f64),
    /// No block, but those of a file that has its share of `max_trace_size` and waits for a collection.
    Off,
}

/// What becomes of a buffer when the queue is full.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnFull {
    /// It is taken, and the thread waits until there is room ([`EventLog::wait_for_room`](crate::EventLog::wait_for_room)).
    #[default]
    Wait,
    /// It is dropped, and its events are counted.
    Drop,
}

/// What the log asks of the agent.
pub trait EventHost: Send + Sync {
    /// The files are at the upper limit and no collection has come: please cause one soon, from another thread. May be called
    /// again while none comes.
    fn want_collection(&self);

    /// How many events of a piece said that they are a site's and a caller's. Where there are many, both may get one number
    /// ([`CalledSite`](ducktrack_trace_format::CalledSite)) for events to come. Called on the pipeline's thread.
    fn called(&self, site: SiteId, caller: CallSiteId, events: u32) {
        let _ = (site, caller, events);
    }

    /// Blocks that come next name classes that a collection has found: their definitions must survive the process from now on. Called on the pipeline's
    /// thread.
    fn secure_definitions(&self) {}

    /// One line for the user. Each sort of trouble is told once.
    fn say(&self, line: &str);

    /// Runs `body` on a new thread that the program cannot see.
    fn spawn(&self, name: &str, body: Box<dyn FnOnce() + Send>) -> io::Result<()> {
        std::thread::Builder::new()
            .name(name.to_owned())
            .spawn(body)
            .map(drop)
    }
}
