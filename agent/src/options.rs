//! The agent's options: `key=value` separated by commas, `@FILE` for a file of them, `help` for this list.
//!
//! ```text
//! mode=count,counters=path,output=/var/tmp/%p,interval=60,classes=not:com.acme.generated.*
//! ```
//!
//! In a file, commas and line ends separate options, and `#` starts a comment. A later option overrides an earlier one, except that
//! patterns of `classes` add up. If an option is unknown or malformed, the JVM does not start.

use std::path::PathBuf;
use std::time::Duration;

use ducktrack_class_rewriter::Calls;

pub use class_pattern::ClassPattern;
pub use command::Command;
pub use context_pattern::{BuiltInContexts, ContextName, ContextPattern, ContextSource};
pub use ducktrack_options::Mode;
pub use parsing::{BadOption, Request};
pub use type_pair::TypePair;

mod class_pattern;
mod command;
mod context_pattern;
mod parsing;
#[cfg(test)]
mod tests;
mod type_pair;
mod value;

/// The values of all options.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// What is recorded.
    pub mode: Mode,
    /// How the counters of a method are chosen.
    pub counters: Counters,
    /// Where the trace directory goes; `%p` is the pid, `%t` the time.
    pub output: String,
    /// Time between snapshots; `None`: only the last one.
    pub interval: Option<Duration>,
    /// Maximum bytes of memory mapped from files of the output directory, so
    /// that it outlives the process; 0: none; `None`: the mode's default.
    pub mapped_memory: Option<u64>,
    /// Print a summary to standard error at exit.
    pub summary: bool,
    /// `classes=PATTERN`; empty means all.
    pub include: Vec<ClassPattern>,
    /// `classes=not:PATTERN`: these are not rewritten.
    pub exclude: Vec<ClassPattern>,
    /// Main classes of programs that are recorded; empty means all.
    pub only_main: Vec<ClassPattern>,
    /// Entries after which a method is re-instrumented for its measured hot path.
    pub reinstrument: Option<u64>,
    /// Time before the first methods are re-instrumented.
    pub reinstrument_after: Duration,
    /// Which library methods have their objects filed under their callers.
    pub context: Context,
    /// What opens contexts.
    pub contexts: Vec<ContextSource>,
    /// Objects are counted by execution of a context, too.
    pub objects_of_executions: bool,
    /// Which code's calls of other code are measured.
    pub app: App,
    /// Whether the call stacks of allocations are sampled.
    pub stacks: Stacks,
    /// Record array lengths.
    pub histogram: bool,
    /// Record which objects reached the heap.
    pub materialized: bool,
    /// How moves are determined.
    pub moves: Moves,
    /// Whether only pages that a G1 collection has written are read, where the kernel tells which.
    pub watch_writes: bool,
    /// Which uses of objects are stamped.
    pub staleness: Staleness,
    /// Heap dumps are written before the end, and at the first `OutOfMemoryError`.
    pub dump: bool,
    /// A full collection looks at the old space when the shutdown begins, where no dump does.
    pub look: bool,
    /// A trial of `ducktrack impact`.
    pub trial: Option<TrialChoices>,
    /// `buffer-size=`, if it is given; [`EventChoices::buffer_size`] is what applies.
    pub buffer_size: Option<usize>,
    /// When it is recorded what holds objects; `None`: as the mode does by default.
    pub roots: Option<Roots>,
    /// `calls=`, if it was given.
    pub calls: Option<Calls>,
    /// For tests of behaviour after a fault (feature `test-switches`): the collection that is reported as unreadable. Not in the help.
    pub fault_at: Option<u32>,
    /// For tests as well: the self-check of `mode=deaths` and `mode=full` that fails.
    pub failing_check: Option<SelfCheck>,
    /// For tests as well: contexts stay on the carrier when a virtual thread leaves it.
    pub contexts_stay: bool,
    /// For tests as well: stamps that cannot change a death time are not left out.
    pub redundant_stamps: bool,
    /// How events are passed from threads to files.
    pub events: EventChoices,
    /// A bound on the agent's memory; the agent stays below it where it can.
    pub memory: Option<u64>,
    /// Accept commands through a socket in the trace directory.
    pub control: bool,
    /// The target of messages.
    pub log: LogTarget,
    /// Where rewritten classes are kept between runs.
    pub cache: Cache,
    /// How much is logged.
    pub log_level: LogLevel,
}

/// Counters need as many bytes per thread as there are sites; waiting events need as much as the queue holds.
const MAPPED_COUNTERS: u64 = 64 << 20;
const MAPPED_EVENTS: u64 = 512 << 20;

impl Options {
    /// Bytes that may be mapped from files of the output directory.
    pub(crate) fn mapped_bytes(&self) -> u64 {
        self.mapped_memory.unwrap_or(match self.mode {
            Mode::Count => MAPPED_COUNTERS,
            Mode::Trace | Mode::Deaths | Mode::Full => MAPPED_EVENTS,
        })
    }
}

/// `moves=`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moves {
    /// Read inside the pause of every collection.
    Exact,
    /// Unknown.
    Off,
}

/// `roots=`
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Roots {
    /// Never.
    Off,
    /// When the program has ended, after a full collection.
    #[default]
    End,
    /// Then, and after each collection.
    Collections,
}

/// `staleness=`
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Staleness {
    /// Uses of objects are not recorded.
    Off,
    /// All code stamps the objects it uses.
    On,
    /// Only the code of these classes does.
    CodeOf(ClassPattern),
}

/// `remove=`, of [`ducktrack_options::OF_COMMANDS`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TrialChoices {
    /// The references to remove; none in a base trial.
    pub pairs: Vec<TypePair>,
    /// When to remove them.
    pub at: RemoveAt,
    /// The number of collections for which their targets must be unused.
    pub after: u32,
}

/// When references are removed: `remove=WHEN`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RemoveAt {
    /// As soon as the target was unused for long enough.
    #[default]
    Stale,
    /// Only when the memory is full.
    Oom,
    /// Nothing is removed, but looked for as often: base trials do the work of the others.
    Never,
}

/// A self-check of `mode=deaths` and `mode=full` before the program starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SelfCheck {
    /// A stamp arrives in the word of its object.
    Stamp,
    /// The identity of an object is its address.
    Identity,
    /// The JDK has the methods that hide from the compiler that an object is an array of references.
    Hints,
    /// With them, a stamp of an array of references is one store.
    Speed,
}

/// `buffer-size=` and the related options in [`ducktrack_options::OPTIONS`].
#[derive(Clone, Debug, PartialEq)]
pub struct EventChoices {
    /// Mean size of a thread's buffer in bytes.
    pub buffer_size: usize,
    /// Maximum number of queued buffers.
    pub queue: usize,
    /// Whether the next buffer is dropped when the queue is full.
    pub drop_on_full: bool,
    /// Which blocks are compressed.
    pub compress: Compress,
    /// Maximum bytes of all event files.
    pub max_trace_size: Option<u64>,
    /// For tests of pauses (feature `test-switches`): a thread that hands over its buffer keeps it this long.
    pub slow_handover: Duration,
}

/// Sizes of buffers vary by this fraction, so that threads do not fill theirs at the same time.
pub(crate) const BUFFER_DEVIATION: f64 = 0.25;
/// By this fraction the files may be smaller or larger than `max-trace-size`; it also determines their number.
pub(crate) const TRACE_DEVIATION: f64 = 0.25;

/// `compress=`
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Compress {
    /// Everything.
    Full,
    /// Blocks written while the queue is at least this full.
    Partial(f64),
    /// Nothing.
    Off,
}

impl Default for EventChoices {
    fn default() -> Self {
        Self {
            buffer_size: 16 << 10,
            // 64 MB: while a collection with many survivors is mirrored (100 ms and more), no buffer is taken, and a thread produces 300 MB
            // of words per second.
            queue: 4096,
            drop_on_full: false,
            compress: Compress::Full,
            max_trace_size: None,
            slow_handover: Duration::ZERO,
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

/// `cache=`
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cache {
    /// In the user's folder for caches, if there is one.
    Usual,
    /// In this folder.
    Directory(PathBuf),
    /// Nowhere.
    Off,
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

/// `app=`
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum App {
    /// No calls are measured.
    Off,
    /// Calls of the main class's project.
    Auto,
    /// Calls of these classes.
    Classes(Vec<ClassPattern>),
}

/// `stacks=`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stacks {
    /// As often as half a percent of the CPU time allows, unless another tool may want the VM's sampler.
    Auto,
    /// The same, even if another tool's library is loaded.
    On,
    /// Mean number of bytes between samples.
    Every(u64),
    /// Never.
    Off,
}

/// `log=`
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LogTarget {
    /// Standard error.
    Stderr,
    /// A file, appended to.
    File(PathBuf),
}

/// The level of `log=`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LogLevel {
    /// Problems that the user must act on.
    Error,
    /// Reasons why figures are incomplete.
    Warn,
    /// The agent's actions.
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
            mapped_memory: None,
            summary: true,
            include: Vec::new(),
            exclude: Vec::new(),
            only_main: Vec::new(),
            reinstrument: Some(10_000),
            reinstrument_after: Duration::from_secs(20),
            context: Context::Auto,
            contexts: Vec::new(),
            objects_of_executions: false,
            app: App::Off,
            stacks: Stacks::Auto,
            histogram: false,
            materialized: false,
            moves: Moves::Exact,
            watch_writes: true,
            staleness: Staleness::Off,
            dump: false,
            look: false,
            trial: None,
            buffer_size: None,
            roots: None,
            calls: None,
            fault_at: None,
            failing_check: None,
            contexts_stay: false,
            redundant_stamps: false,
            events: EventChoices::default(),
            memory: None,
            control: true,
            cache: Cache::Usual,
            log: LogTarget::Stderr,
            log_level: LogLevel::Warn,
        }
    }
}
