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

use ducktrack_class_rewriter::Calls;

pub use class_pattern::ClassPattern;
pub use parsing::{BadOption, Request};
pub use type_pair::TypePair;

mod class_pattern;
mod parsing;
#[cfg(test)]
mod tests;
mod type_pair;
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
    /// The most bytes of memory that is mapped from files of the output directory, so that it outlives the process; 0: none; `None`: what the mode needs.
    pub mapped_memory: Option<u64>,
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
    /// Whose calls of other code are asked what they bring.
    pub app: App,
    /// Whether the call stacks of allocations are sampled.
    pub stacks: Stacks,
    /// Record array lengths.
    pub histogram: bool,
    /// Record what really reached the heap.
    pub materialized: bool,
    /// How exactly moves are known.
    pub moves: Moves,
    /// Whose uses of objects are stamped.
    pub staleness: Staleness,
    /// Take a heap dump when the program ends.
    pub final_dump: bool,
    /// A trial of `ducktrack impact`.
    pub trial: Option<TrialChoices>,
    /// What is recorded besides events, with `mode=witness`.
    pub witness: Witness,
    /// `witness=`, if it was given.
    pub witness_level: Option<Witness>,
    /// `calls=`, if it was given.
    pub calls: Option<Calls>,
    /// For tests of what follows (feature `test-switches`): the collection that is reported as if it could not be read. Not in the help.
    pub fault_at: Option<u32>,
    /// How events get from threads to files.
    pub events: EventChoices,
    /// The most memory that the agent takes, as far as it can do without.
    pub memory: Option<u64>,
    /// Take commands through a socket in the trace directory.
    pub control: bool,
    /// Where messages go.
    pub log: LogTarget,
    /// How much is logged.
    pub log_level: LogLevel,
}

/// Counters are as many bytes for each thread as there are places; events that wait are as many as the queue takes.
const MAPPED_COUNTERS: u64 = 64 << 20;
const MAPPED_EVENTS: u64 = 512 << 20;

impl Options {
    /// Bytes that may be mapped from files of the output directory.
    pub(crate) fn mapped_bytes(&self) -> u64 {
        self.mapped_memory.unwrap_or(match self.mode {
            Mode::Count => MAPPED_COUNTERS,
            Mode::Trace => MAPPED_EVENTS,
        })
    }
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

/// `mode=witness` and `witness=`
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Witness {
    /// Another mode.
    #[default]
    Off,
    /// Last uses, losses of references, and what the dead referred to: enough for exact death times.
    Deaths,
    /// The same, and every update of a reference, and calls.
    Full,
}

/// `staleness=`
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Staleness {
    /// Uses of objects are not recorded.
    Off,
    /// All code stamps what it uses.
    On,
    /// The code of these classes does.
    CodeOf(ClassPattern),
}

/// `remove=` and what follows it in [`HELP`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TrialChoices {
    /// References that are removed; none in a base trial.
    pub pairs: Vec<TypePair>,
    /// When.
    pub at: RemoveAt,
    /// For how many collections their targets must not have been used.
    pub after: u32,
}

/// `remove-at=`
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RemoveAt {
    /// As soon as the target has not been used for long enough.
    #[default]
    Stale,
    /// Not before the memory is full.
    Oom,
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

/// `app=`
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum App {
    /// No calls are watched.
    Off,
    /// Those of the main class's project.
    Auto,
    /// Those of these classes.
    Classes(Vec<ClassPattern>),
}

/// `stacks=`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stacks {
    /// As often as a hundredth of the CPU time allows, where no other tool may want the VM's sampler.
    Auto,
    /// The same, also where another tool's library is loaded.
    On,
    /// Bytes from one sample to the next, on average.
    Every(u64),
    /// Not at all.
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
            mapped_memory: None,
            summary: true,
            include: Vec::new(),
            exclude: Vec::new(),
            reinstrument: Some(10_000),
            context: Context::Auto,
            app: App::Off,
            stacks: Stacks::Auto,
            histogram: false,
            materialized: false,
            moves: Moves::Exact,
            staleness: Staleness::Off,
            final_dump: false,
            trial: None,
            witness: Witness::Off,
            witness_level: None,
            calls: None,
            fault_at: None,
            events: EventChoices::default(),
            memory: None,
            control: true,
            log: LogTarget::Stderr,
            log_level: LogLevel::Warn,
        }
    }
}

impl Options {
    /// One line for each option that was given and has no effect in this mode.
    pub fn ignored(&self) -> Vec<String> {
        let limit = self.mode == Mode::Count && self.events.max_trace_size.is_some();
        let limit = limit.then_some(
            "option `max-trace-size` has no effect in mode=count: it limits the event files of mode=trace",
        );
        limit.map(str::to_owned).into_iter().collect()
    }

    /// Whether the user wants this class (internal name) rewritten.
    pub fn wants(&self, class: &str) -> bool {
        (self.include.is_empty() || self.include.iter().any(|pattern| pattern.matches(class)))
            && !self.exclude.iter().any(|pattern| pattern.matches(class))
    }
}
