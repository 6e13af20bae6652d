//! The agent's options: `key=value` separated by commas, `@FILE` for a file of them, `help` for this list.
//!
//! ```text
//! mode=count,counters=path,output=/var/tmp/%p,interval=60,exclude=com.acme.generated.*
//! ```
//!
//! In a file, commas and line ends separate, `#` starts a comment. A later option overrides an earlier one, except
//! that `include` and `exclude` add up. An unknown or malformed option is an error: the JVM does not start.

use std::path::PathBuf;
use std::time::Duration;

pub use class_pattern::ClassPattern;
pub use parsing::{BadOption, Request};

mod class_pattern;
mod parsing;
#[cfg(test)]
mod tests;
mod value;

/// The list of options, one per line: name, values, default, meaning.
pub const HELP: &str = include_str!("options/help.txt");

/// Everything the user can choose.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// What is recorded.
    pub mode: Mode,
    /// How the counters of a method are chosen.
    pub counters: Counters,
    /// Where the trace directory goes; `%p` is the pid, `%t` the time.
    pub output: String,
    /// Time between snapshots, if any besides the last.
    pub interval: Option<Duration>,
    /// Print a summary to standard error at exit.
    pub summary: bool,
    /// Class patterns; empty means all.
    pub include: Vec<ClassPattern>,
    /// Class patterns that are left as they are.
    pub exclude: Vec<ClassPattern>,
    /// Entries after which a method is re-instrumented for its measured hot path.
    pub reinstrument: Option<u64>,
    /// Which methods pass the blame to their callers.
    pub context: Context,
    /// Record array lengths.
    pub histogram: bool,
    /// Record what really reached the heap.
    pub materialized: bool,
    /// How exactly moves are known.
    pub moves: Moves,
    /// For tests of what follows: the collection that is reported as if it could not be read. Not in the help.
    pub fault_at: Option<u32>,
    /// How events get from threads to files.
    pub events: EventChoices,
    /// Where messages go.
    pub log: LogTarget,
    /// How much is logged.
    pub log_level: LogLevel,
}

/// `mode=`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// How many objects each site made.
    Count,
    /// Every allocation, and what every collection did.
    Trace,
}

/// `moves=`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moves {
    /// Read in the pause of every collection.
    Exact,
    /// Read at the end of a collection.
    Finish,
    /// Not known.
    Off,
}

/// `buffer-size=` and what follows it in [`HELP`].
#[derive(Clone, Debug, PartialEq)]
pub struct EventChoices {
    /// Mean bytes of a thread's buffer.
    pub buffer_size: usize,
    /// By which part of it buffers differ.
    pub buffer_deviation: f64,
    /// Buffers that may wait.
    pub queue: usize,
    /// What becomes of the next one.
    pub drop_on_full: bool,
    /// What is compressed.
    pub compress: Compress,
    /// Bytes of all event files.
    pub max_trace_size: Option<u64>,
    /// By which part of it they may be smaller or larger.
    pub max_deviation: f64,
}

/// `compress=`
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Compress {
    /// Everything.
    Full,
    /// While the queue is filled to this part.
    Partial(f64),
    /// Nothing.
    Off,
}

impl Default for EventChoices {
    fn default() -> Self {
        Self {
            buffer_size: 16 << 10,
            buffer_deviation: 0.25,
            // 64 MB: while a collection with many survivors is mirrored (100 ms and more), no buffer is taken, and a thread makes 300 MB of words a second.
            queue: 4096,
            drop_on_full: false,
            compress: Compress::Full,
            max_trace_size: None,
            max_deviation: 0.25,
        }
    }
}

/// `counters=`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counters {
    /// DuckTracks: one counter per path.
    Path,
    /// One counter per site, the baseline.
    Site,
}

/// `context=`
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Context {
    /// The built-in list, and hot library sites found at run time.
    Auto,
    /// No caller context.
    Off,
    /// The built-in list and the methods named in a file.
    File(PathBuf),
}

/// `log=`
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LogTarget {
    /// Standard error.
    Stderr,
    /// A file, appended to.
    File(PathBuf),
}

/// `level=`
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LogLevel {
    /// What the user must act on.
    Error,
    /// What makes figures incomplete.
    Warn,
    /// What the agent does.
    Info,
    /// Every class.
    Debug,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            mode: Mode::Count,
            counters: Counters::Path,
            output: "ducktrack-%p".to_owned(),
            interval: None,
            summary: true,
            include: Vec::new(),
            exclude: Vec::new(),
            reinstrument: Some(10_000),
            context: Context::Auto,
            histogram: false,
            materialized: false,
            moves: Moves::Exact,
            fault_at: None,
            events: EventChoices::default(),
            log: LogTarget::Stderr,
            log_level: LogLevel::Warn,
        }
    }
}

impl Options {
    /// Whether the user wants this class (internal name) rewritten.
    pub fn wants(&self, class: &str) -> bool {
        (self.include.is_empty() || self.include.iter().any(|pattern| pattern.matches(class)))
            && !self.exclude.iter().any(|pattern| pattern.matches(class))
    }
}
