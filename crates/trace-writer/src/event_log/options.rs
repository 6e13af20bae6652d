//! How events are written.

use std::io;

use ducktrack_trace_format::{CallSiteId, SiteId};

/// Options of an event log.
#[derive(Clone, Debug, PartialEq)]
pub struct EventOptions {
    /// What is compressed.
    pub compress: CompressStrategy,
    /// Several pieces become one block with columns ([`EventColumns`](ducktrack_trace_format::EventColumns)),
    /// if they are compressed. Good for updates and calls.
    pub columns: bool,
    /// Limit in bytes of all event files together; `None` means no limit and one file.
    pub max_trace_size: Option<u64>,
    /// Share of `max_trace_size` by which the files may fall short of it after a rotation, or exceed it while a
    /// collection is awaited. Between 0.01 and 1.
    pub max_deviation: f64,
    /// How many buffers may wait for the pipeline.
    pub queue_length: usize,
    /// What happens to a buffer when the queue is full.
    pub on_full: OnFull,
    /// Threads that compress; 0 means one per core, but at most 2.
    pub compressors: usize,
    /// False if moves are never known (Shenandoah, `moves=off`): no mirror, no synchronization points.
    pub moves: bool,
    /// Survivors are written as they are, and readers match them with events. Only without `max_trace_size`, and where moves are exact.
    pub match_later: bool,
    /// Most bytes that the mirror and the waiting events may take. If they take more, moves are no longer known.
    pub most_mirror_bytes: Option<u64>,
    /// Process id of the JVM, for the files.
    pub pid: u32,
    /// Start of the run in milliseconds since 1970, for the files.
    pub start_unix_millis: u64,
}

impl Default for EventOptions {
    fn default() -> Self {
        Self {
            compress: CompressStrategy::Full,
            columns: false,
            max_trace_size: None,
            max_deviation: 0.25,
            queue_length: 1_024,
            on_full: OnFull::Wait,
            compressors: 0,
            moves: true,
            match_later: false,
            most_mirror_bytes: None,
            pid: 0,
            start_unix_millis: 0,
        }
    }
}

/// What is compressed: the two strategies of the paper (section 3.1), or nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum CompressStrategy {
    /// Every block.
    #[default]
    Full,
    /// Blocks written while the queue is filled to this share or more (0.2 is a good value).
    Partial(f64),
    /// No block, except in a file that has its share of `max_trace_size` and waits for a collection.
    Off,
}

/// What happens to a buffer when the queue is full.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnFull {
    /// It is taken, and the thread waits until there is room ([`EventLog::wait_for_room`](crate::EventLog::wait_for_room)).
    #[default]
    Wait,
    /// It is dropped, and its events are counted.
    Drop,
}

/// What the log needs from the agent.
pub trait EventHost: Send + Sync {
    /// Requests a collection: the files are at the upper limit and none has come. Must not collect on the calling thread. May
    /// be called again while none comes.
    fn want_collection(&self);

    /// Blocks are lost, so that readers do not know the heap any more: collections are to be recorded as
    /// after a fault, so that the next full one lists all objects. Must not collect on the calling thread.
    fn want_whole_heap(&self) {}

    /// Reports how many events of a piece were of this site with this caller. For frequent pairs the host may assign a
    /// [`CalledSite`](ducktrack_trace_format::CalledSite), one number for both, for later events. Called on the pipeline's
    /// thread.
    fn called(&self, site: SiteId, caller: CallSiteId, events: u32) {
        let _ = (site, caller, events);
    }

    /// The next blocks name classes that a collection has found: their definitions must survive the process from now on. Called on the
    /// pipeline's thread.
    fn secure_definitions(&self) {}

    /// Prints one line for the user. Each kind of trouble is reported once.
    fn say(&self, line: &str);

    /// Runs `body` on a new thread that is invisible to the program.
    fn spawn(&self, name: &str, body: Box<dyn FnOnce() + Send>) -> io::Result<()> {
        std::thread::Builder::new()
            .name(name.to_owned())
            .spawn(body)
            .map(drop)
    }
}
