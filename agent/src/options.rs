//! The agent's options: `key=value` separated by commas, `@FILE` for a file of them, `help` for this list.
//!
//! ```text
//! mode=count,counters=path,output=/var/tmp/%p,interval=60,exclude=com.acme.generated.*
//! ```
//!
//! In a file, commas and line ends separate, `#` starts a comment. A later option overrides an earlier one, except
//! that `include` and `exclude` add up. An unknown or malformed option is an error: the JVM does not start.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

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
            queue: 1024,
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

/// `com.acme.*` (a package and all below it), `com.acme.Order` or `*Proxy*`: `*` stands for any characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClassPattern(String);

impl ClassPattern {
    /// A pattern written with dots or slashes.
    pub fn new(text: &str) -> Self {
        Self(text.replace('.', "/"))
    }

    /// Whether a class name in internal form fits.
    pub fn matches(&self, class: &str) -> bool {
        wildcard(self.0.as_bytes(), class.as_bytes())
    }
}

fn wildcard(pattern: &[u8], text: &[u8]) -> bool {
    let (mut p, mut t, mut retry) = (0, 0, None);
    while t < text.len() {
        match pattern.get(p) {
            Some(b'*') => {
                retry = Some((p, t));
                p += 1;
            }
            Some(byte) if *byte == text[t] => {
                p += 1;
                t += 1;
            }
            _ => match retry {
                Some((star, from)) => {
                    p = star + 1;
                    t = from + 1;
                    retry = Some((star, t));
                }
                None => return false,
            },
        }
    }
    pattern[p..].iter().all(|byte| *byte == b'*')
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
            events: EventChoices::default(),
            log: LogTarget::Stderr,
            log_level: LogLevel::Warn,
        }
    }
}

/// What the option string asks for.
#[derive(Clone, Debug, PartialEq)]
pub enum Request {
    /// Run with these.
    Run(Box<Options>),
    /// Print [`HELP`] and start the JVM untouched.
    Help,
}

/// Why the JVM must not start: one line.
#[derive(Debug, PartialEq, Eq)]
pub struct BadOption(String);

impl fmt::Display for BadOption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}; `-agentpath:...=help` prints all options", self.0)
    }
}

/// The list of options, one per line: name, values, default, meaning.
pub const HELP: &str = "\
ducktrack options: key=value, separated by commas; @FILE reads options from a file; help prints this list
  mode=count|trace           what is recorded: executed allocations per site; or every allocation and what
                             every collection did, from which the same report can be had  (default count)
  counters=path|site         one counter per control-flow path, or one per site           (default path)
  output=DIR                 trace directory; %p is the process id, %t the start time     (default ducktrack-%p)
  interval=SECONDS|off       also write a snapshot every so many seconds                  (default off)
  summary=on|off             print top sites, completeness and own cost at exit           (default on)
  include=PATTERN            rewrite only these classes; may be given more than once      (default all)
  exclude=PATTERN            leave these classes as they are; may be given more than once (default none)
  reinstrument=ENTRIES|off   re-instrument a method for its measured hot path after so many entries (default 10000)
  context=auto|off|FILE      which methods pass the blame to their callers: the built-in list and hot
                             library sites, none, or also those in FILE (one class.method per line) (default auto)
  histogram=on|off           record the lengths of arrays                                 (default off)
  materialized=on|off        record which objects really reached the heap                 (default off)
  moves=exact|finish|off     mode=trace: how moves and deaths are known: read in every pause; read after it, which
                             leaves out full collections; not at all                      (default exact)
  buffer-size=BYTES          mode=trace: a thread's buffer of events, at most 32k          (default 16k)
  buffer-deviation=PART      mode=trace: buffers differ by this part of their size         (default 0.25)
  queue=BUFFERS              mode=trace: so many full buffers may wait to be decoded       (default 1024)
  on-full=wait|drop          mode=trace: then threads wait; or buffers are dropped, and their events counted (default wait)
  compress=full|partial[:PART]|off  mode=trace: compress all blocks, those that come while this part of the queue
                             is filled (0.2), or none                                     (default full)
  max-trace-size=BYTES|off   mode=trace: older events give way to newer ones; objects that live keep theirs (default off)
  max-deviation=PART         mode=trace: by which part the files may fall short of that, or exceed it (default 0.25)
  log=stderr|FILE            where messages go                                            (default stderr)
  level=error|warn|info|debug how much is logged                                          (default warn)
BYTES may end in k, m or g. A PATTERN is a class name with dots in which * stands for any characters: com.acme.*
";

impl Options {
    /// Parses the text after `=` of `-agentpath:library=text`.
    ///
    /// # Errors
    /// The first option that is unknown or malformed, as one line.
    pub fn parse(text: &str) -> Result<Request, BadOption> {
        let mut options = Self::default();
        let mut help = false;
        options.read(text, 0, &mut help)?;
        Ok(if help {
            Request::Help
        } else {
            Request::Run(Box::new(options))
        })
    }

    fn read(&mut self, text: &str, depth: u32, help: &mut bool) -> Result<(), BadOption> {
        for item in text
            .split([',', '\n'])
            .map(str::trim)
            .filter(|item| !item.is_empty())
        {
            if item == "help" {
                *help = true;
            } else if let Some(path) = item.strip_prefix('@') {
                self.read_file(path, depth, help)?;
            } else {
                let (key, value) = item.split_once('=').ok_or_else(|| {
                    BadOption(format!(
                        "option `{item}` has no value (key=value is expected)"
                    ))
                })?;
                self.set(key.trim(), value.trim())?;
            }
        }
        Ok(())
    }

    fn read_file(&mut self, path: &str, depth: u32, help: &mut bool) -> Result<(), BadOption> {
        if depth > 8 {
            return Err(BadOption(format!(
                "options file {path} is included more than 8 levels deep"
            )));
        }
        let text = std::fs::read_to_string(path)
            .map_err(|error| BadOption(format!("cannot read options file {path}: {error}")))?;
        let lines: Vec<&str> = text
            .lines()
            .map(|line| line.split('#').next().unwrap_or(""))
            .collect();
        self.read(&lines.join("\n"), depth + 1, help)
    }

    fn set(&mut self, key: &str, value: &str) -> Result<(), BadOption> {
        let bad = |expected: &str| {
            BadOption(format!(
                "option `{key}={value}` is not understood (expected {expected})"
            ))
        };
        match key {
            "mode" => {
                self.mode = match value {
                    "count" => Mode::Count,
                    "trace" => Mode::Trace,
                    _ => return Err(bad("count or trace")),
                }
            }
            "counters" => {
                self.counters = match value {
                    "path" => Counters::Path,
                    "site" => Counters::Site,
                    _ => return Err(bad("path or site")),
                }
            }
            "output" if value.is_empty() => return Err(bad("a directory")),
            "output" => self.output = value.to_owned(),
            "interval" => {
                self.interval = seconds(value).ok_or_else(|| bad("seconds above 0, or off"))?
            }
            "summary" => self.summary = on_off(value).ok_or_else(|| bad("on or off"))?,
            "include" => self
                .include
                .push(pattern(value).ok_or_else(|| bad("a class pattern"))?),
            "exclude" => self
                .exclude
                .push(pattern(value).ok_or_else(|| bad("a class pattern"))?),
            "reinstrument" => {
                self.reinstrument = entries(value).ok_or_else(|| bad("a count above 0, or off"))?
            }
            "context" => self.context = context(value).map_err(|why| bad(&why))?,
            "histogram" => self.histogram = on_off(value).ok_or_else(|| bad("on or off"))?,
            "materialized" => self.materialized = on_off(value).ok_or_else(|| bad("on or off"))?,
            "moves" => {
                self.moves = match value {
                    "exact" => Moves::Exact,
                    "finish" => Moves::Finish,
                    "off" => Moves::Off,
                    _ => return Err(bad("exact, finish or off")),
                }
            }
            "buffer-size" => {
                self.events.buffer_size =
                    buffer_size(value).ok_or_else(|| bad("bytes from 256 to 32k"))?;
            }
            "buffer-deviation" => {
                self.events.buffer_deviation =
                    part(value, 0.0).ok_or_else(|| bad("a part from 0 to 1"))?;
            }
            "queue" => {
                let length = value.parse().ok().filter(|length| *length > 0);
                self.events.queue = length.ok_or_else(|| bad("a number above 0"))?;
            }
            "on-full" => {
                self.events.drop_on_full = match value {
                    "wait" => false,
                    "drop" => true,
                    _ => return Err(bad("wait or drop")),
                }
            }
            "compress" => {
                self.events.compress =
                    compress(value).ok_or_else(|| bad("full, partial, partial:PART or off"))?;
            }
            "max-trace-size" => {
                self.events.max_trace_size =
                    trace_size(value).ok_or_else(|| bad("bytes from 1m on, or off"))?;
            }
            "max-deviation" => {
                self.events.max_deviation =
                    part(value, 0.01).ok_or_else(|| bad("a part from 0.01 to 1"))?;
            }
            "log" if value.is_empty() => return Err(bad("stderr or a file")),
            "log" => {
                self.log = if value == "stderr" {
                    LogTarget::Stderr
                } else {
                    LogTarget::File(value.into())
                }
            }
            "level" => {
                self.log_level = level(value).ok_or_else(|| bad("error, warn, info or debug"))?
            }
            _ => return Err(BadOption(format!("unknown option `{key}`"))),
        }
        Ok(())
    }

    /// Whether the user wants this class (internal name) rewritten.
    pub fn wants(&self, class: &str) -> bool {
        (self.include.is_empty() || self.include.iter().any(|pattern| pattern.matches(class)))
            && !self.exclude.iter().any(|pattern| pattern.matches(class))
    }
}

fn on_off(value: &str) -> Option<bool> {
    match value {
        "on" => Some(true),
        "off" => Some(false),
        _ => None,
    }
}

fn seconds(value: &str) -> Option<Option<Duration>> {
    if value == "off" {
        return Some(None);
    }
    let seconds: f64 = value.parse().ok()?;
    (0.01..=1e9)
        .contains(&seconds)
        .then(|| Some(Duration::from_secs_f64(seconds)))
}

fn entries(value: &str) -> Option<Option<u64>> {
    if value == "off" {
        return Some(None);
    }
    value.parse().ok().filter(|count| *count > 0).map(Some)
}

/// `16k`, `64m`, `2g`, or plain bytes.
fn bytes(value: &str) -> Option<u64> {
    let digits = value.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
    let unit = match value.get(digits.len()..)?.to_ascii_lowercase().as_str() {
        "" => 1,
        "k" => 1 << 10,
        "m" => 1 << 20,
        "g" => 1 << 30,
        _ => return None,
    };
    digits.parse::<u64>().ok()?.checked_mul(unit)
}

fn buffer_size(value: &str) -> Option<usize> {
    let size = usize::try_from(bytes(value)?).ok()?;
    (256..=32 << 10).contains(&size).then_some(size)
}

fn trace_size(value: &str) -> Option<Option<u64>> {
    if value == "off" {
        return Some(None);
    }
    bytes(value).filter(|size| *size >= 1 << 20).map(Some)
}

fn part(value: &str, least: f64) -> Option<f64> {
    let part: f64 = value.parse().ok()?;
    (least..=1.0).contains(&part).then_some(part)
}

fn compress(value: &str) -> Option<Compress> {
    match value {
        "full" => Some(Compress::Full),
        "partial" => Some(Compress::Partial(0.2)),
        "off" => Some(Compress::Off),
        _ => part(value.strip_prefix("partial:")?, 0.0).map(Compress::Partial),
    }
}

fn pattern(value: &str) -> Option<ClassPattern> {
    (!value.is_empty()).then(|| ClassPattern::new(value))
}

fn context(value: &str) -> Result<Context, String> {
    match value {
        "auto" => Ok(Context::Auto),
        "off" => Ok(Context::Off),
        "" => Err("auto, off or a file".to_owned()),
        path => match std::fs::metadata(path) {
            Ok(_) => Ok(Context::File(path.into())),
            Err(error) => Err(format!("auto, off or a readable file: {error}")),
        },
    }
}

fn level(value: &str) -> Option<LogLevel> {
    match value {
        "error" => Some(LogLevel::Error),
        "warn" => Some(LogLevel::Warn),
        "info" => Some(LogLevel::Info),
        "debug" => Some(LogLevel::Debug),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(text: &str) -> Options {
        match Options::parse(text) {
            Ok(Request::Run(options)) => *options,
            other => panic!("{text}: {other:?}"),
        }
    }

    fn refused(text: &str) -> String {
        Options::parse(text).expect_err(text).to_string()
    }

    #[test]
    fn nothing_means_the_defaults() {
        assert_eq!(run(""), Options::default());
    }

    #[test]
    fn options_are_read_and_patterns_add_up() {
        let options = run(
            "counters=site,interval=2.5,exclude=com.acme.*,exclude=*Proxy*,reinstrument=off,summary=off",
        );
        assert_eq!(options.counters, Counters::Site);
        assert_eq!(options.interval, Some(Duration::from_millis(2500)));
        assert_eq!(options.reinstrument, None);
        assert!(!options.summary);
        assert!(!options.wants("com/acme/a/B"));
        assert!(!options.wants("x/$Proxy12"));
        assert!(options.wants("com/acmeX"));
    }

    #[test]
    fn options_of_traces() {
        let options = run(
            "mode=trace,moves=finish,buffer-size=4k,on-full=drop,compress=partial:0.5,max-trace-size=64m,queue=8",
        );
        assert_eq!((options.mode, options.moves), (Mode::Trace, Moves::Finish));
        let events = EventChoices {
            buffer_size: 4096,
            queue: 8,
            drop_on_full: true,
            compress: Compress::Partial(0.5),
            max_trace_size: Some(64 << 20),
            ..EventChoices::default()
        };
        assert_eq!(options.events, events);
    }

    #[test]
    fn an_options_file_may_hold_comments_and_lines() {
        let file = std::env::temp_dir().join(format!("ducktrack-options-{}", std::process::id()));
        std::fs::write(
            &file,
            "# production\ncounters=site # baseline\ninterval=10,summary=off\n",
        )
        .expect("write");
        let options = run(&format!("@{}", file.display()));
        std::fs::remove_file(&file).expect("remove");
        assert_eq!((options.counters, options.summary), (Counters::Site, false));
        assert_eq!(options.interval, Some(Duration::from_secs(10)));
    }

    #[test]
    fn every_bad_option_is_named() {
        assert!(refused("colour=red").contains("unknown option `colour`"));
        assert!(refused("counters=some").contains("`counters=some`"));
        assert!(refused("interval=0").contains("`interval=0`"));
        assert!(refused("interval=NaN").contains("`interval=NaN`"));
        assert!(refused("summary").contains("no value"));
        assert!(refused("output=").contains("a directory"));
        assert!(refused("@/no/such/file").contains("/no/such/file"));
        assert!(refused("context=/no/such/file").contains("readable file"));
        assert!(refused("mode=dance").contains("`mode=dance`"));
        for bad in [
            "moves=some",
            "buffer-size=33k",
            "buffer-size=16x",
            "buffer-deviation=2",
            "queue=0",
            "on-full=cry",
            "compress=partial:7",
            "max-trace-size=1k",
            "max-deviation=0",
        ] {
            assert!(refused(bad).contains(&format!("`{bad}`")), "{bad}");
        }
    }

    #[test]
    fn help_wins() {
        assert_eq!(Options::parse("counters=site,help"), Ok(Request::Help));
    }

    #[test]
    fn every_option_is_in_the_help() {
        for key in [
            "mode",
            "counters",
            "output",
            "interval",
            "summary",
            "include",
            "exclude",
            "reinstrument",
            "context",
            "histogram",
            "materialized",
            "moves",
            "buffer-size",
            "buffer-deviation",
            "queue",
            "on-full",
            "compress",
            "max-trace-size",
            "max-deviation",
            "log",
            "level",
        ] {
            assert!(HELP.contains(&format!("  {key}=")), "{key}");
        }
    }

    #[test]
    fn patterns() {
        assert!(ClassPattern::new("com.acme.*").matches("com/acme/x/Y"));
        assert!(ClassPattern::new("*a*b*").matches("xxayybzz"));
        assert!(!ClassPattern::new("*a*b").matches("xxayybzz"));
        assert!(ClassPattern::new("com.acme.Order").matches("com/acme/Order"));
    }
}
