//! Parses the text after `-agentpath:library=` into [`Options`].

use std::fmt;
use std::time::Duration;

use super::value::{Figure, Memory, Value};

use ducktrack_class_rewriter::{Calls, ThreadTotals};
use ducktrack_options::{AgentOption, TEST_SWITCHES};

use super::{
    App, Command, Counters, Mode, Moves, Options, Roots, SelfCheck, Staleness, TrialChoices,
};

/// The value of `contexts` by which objects are counted by execution, too.
const OBJECTS: &str = "objects";

/// Maximum nesting of option files.
const DEEPEST_FILE: u32 = 8;

/// Default number of collections without a use, after which a trial removes references to an object.
const UNUSED_FOR: u32 = 8;

/// Default size of buffers with `mode=full`: what repeats is farther apart than in a stream of allocations.
const BUFFER_OF_RECORDS: usize = 32 << 10;

/// The request in the option string.
#[derive(Clone, Debug, PartialEq)]
pub enum Request {
    /// Start a run with these options.
    Run(Box<Options>),
    /// Send a command to the current run.
    Command(Command),
    /// Print [`ducktrack_options::help`] and leave the JVM unchanged.
    Help,
}

/// The contents of an option string besides values.
#[derive(Default)]
struct Found {
    help: bool,
    given: Vec<&'static AgentOption>,
}

/// One line that says why the JVM must not start.
#[derive(Debug, PartialEq, Eq)]
pub struct BadOption(pub(super) String);

impl fmt::Display for BadOption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}; `-agentpath:...=help` prints all options", self.0)
    }
}

impl Options {
    /// Parses the text after `=` of `-agentpath:library=text`.
    ///
    /// # Errors
    /// The first option that is unknown or malformed, as one line.
    pub fn parse(text: &str) -> Result<Request, BadOption> {
        if let Some(command) = Command::of_word(text.trim()) {
            return Ok(Request::Command(command));
        }
        let mut options = Self::default();
        let mut found = Found::default();
        options.read(text, 0, &mut found)?;
        options.events.buffer_size = match (options.buffer_size, options.mode) {
            (Some(bytes), _) => bytes,
            (None, Mode::Full) => BUFFER_OF_RECORDS,
            (None, _) => options.events.buffer_size,
        };
        options.check_effect(&found.given)?;
        options.check()?;
        if options.thread_totals() != ThreadTotals::None {
            // They are exact only if each allocation adds to them by itself.
            options.counters = Counters::Site;
        }
        Ok(if found.help {
            Request::Help
        } else {
            Request::Run(Box::new(options))
        })
    }

    /// The totals that each thread keeps.
    pub fn thread_totals(&self) -> ThreadTotals {
        match (&self.app, self.objects_of_executions) {
            (App::Off, false) => ThreadTotals::None,
            (App::Off, true) => ThreadTotals::Executions,
            _ => ThreadTotals::Calls,
        }
    }

    /// Refuses the first option without effect in the mode.
    fn check_effect(&self, given: &[&AgentOption]) -> Result<(), BadOption> {
        let mode = self.mode;
        match given.iter().find(|option| !option.works_in(mode)) {
            Some(option) => Err(BadOption(format!(
                "option `{}` has no effect in mode={}: it needs {}",
                option.key,
                mode.word(),
                option.modes_text()
            ))),
            None => Ok(()),
        }
    }

    /// Checks that the options are compatible.
    fn check(&self) -> Result<(), BadOption> {
        if self.trial.is_some() && self.staleness == Staleness::Off {
            return Err(BadOption("option `remove` needs staleness".to_owned()));
        }
        // A trial needs no moves, because it looks at the objects themselves.
        let knows_moves = self.moves != Moves::Off || self.trial.is_some();
        if self.staleness != Staleness::Off && !knows_moves {
            return Err(BadOption("option `staleness` needs moves=exact".to_owned()));
        }
        if self.objects_of_executions && self.app != App::Off {
            // An open call of a virtual thread takes its totals from carrier to carrier.
            let refusal = "option `contexts=objects` needs app=off: both use a thread's totals";
            return Err(BadOption(refusal.to_owned()));
        }
        self.check_deaths()
    }

    /// Death times need every event and the results of every collection.
    fn check_deaths(&self) -> Result<(), BadOption> {
        if !self.mode.has_deaths() {
            return Ok(());
        }
        let needs = [
            (self.moves == Moves::Exact, "moves=exact"),
            (!self.events.drop_on_full, "on-full=wait"),
        ];
        match needs.iter().find(|(is_so, _)| !is_so) {
            Some((_, needed)) => {
                let mode = self.mode.word();
                Err(BadOption(format!("mode={mode} needs {needed}")))
            }
            None => Ok(()),
        }
    }

    fn read(&mut self, text: &str, depth: u32, found: &mut Found) -> Result<(), BadOption> {
        let items = text.split([',', '\n']).map(str::trim);
        for item in items.filter(|item| !item.is_empty()) {
            if item == "help" {
                found.help = true;
            } else if let Some(path) = item.strip_prefix('@') {
                self.read_file(path, depth, found)?;
            } else {
                let (key, value) = item.split_once('=').ok_or_else(|| {
                    BadOption(format!(
                        "option `{item}` has no value (key=value is expected)"
                    ))
                })?;
                let value = Value::new(key.trim(), value.trim());
                found.given.extend(known(value.key)?);
                self.set(&value)?;
            }
        }
        Ok(())
    }

    fn read_file(&mut self, path: &str, depth: u32, found: &mut Found) -> Result<(), BadOption> {
        if depth == DEEPEST_FILE {
            return Err(BadOption(format!(
                "options file {path} is included more than {DEEPEST_FILE} levels deep"
            )));
        }
        let text = std::fs::read_to_string(path)
            .map_err(|error| BadOption(format!("cannot read options file {path}: {error}")))?;
        let lines: Vec<&str> = text
            .lines()
            .map(|line| line.split('#').next().unwrap_or(""))
            .collect();
        self.read(&lines.join("\n"), depth + 1, found)
    }

    fn set(&mut self, value: &Value<'_>) -> Result<(), BadOption> {
        match value.key {
            "mode" => {
                self.mode = value.one_of(Mode::ALL.map(|mode| (mode.word(), mode)))?;
            }
            "counters" => {
                self.counters = value.counters()?;
                if let Some(hot_paths) = value.hot_paths(self.reinstrument_after)? {
                    (self.reinstrument, self.reinstrument_after) = hot_paths;
                }
            }
            "output" => self.output = value.directory()?,
            "interval" => self.interval = value.interval()?,
            "summary" => self.summary = value.on_off()?,
            "classes" => match value.chosen_classes()? {
                (true, pattern) => self.include.push(pattern),
                (false, pattern) => self.exclude.push(pattern),
            },
            "only-main" => self.only_main.push(value.class_pattern()?),
            "context" => self.context = value.context()?,
            "contexts" if value.text == OBJECTS => self.objects_of_executions = true,
            "contexts" => self.contexts.push(value.context_source()?),
            "app" => self.app = value.app(std::mem::replace(&mut self.app, App::Off))?,
            "stacks" => self.stacks = value.stacks()?,
            "record" => self.record(value.figure()?),
            "memory" => match value.memory()? {
                Memory::Own(bound) => self.memory = bound,
                Memory::Mapped(bytes) => self.mapped_memory = Some(bytes),
            },
            "cache" => self.cache = value.cache()?,
            "control" => self.control = value.on_off()?,
            "log" => (self.log_level, self.log) = value.log()?,
            _ => self.set_for_traces(value)?,
        }
        Ok(())
    }

    /// Adds a figure to those that are recorded; `None`: no further ones.
    fn record(&mut self, figure: Option<Figure>) {
        match figure {
            Some(Figure::Lengths) => self.histogram = true,
            Some(Figure::Materialized) => self.materialized = true,
            None => (self.histogram, self.materialized) = (false, false),
        }
    }

    fn trial(&mut self) -> &mut TrialChoices {
        self.trial.get_or_insert_with(|| TrialChoices {
            after: UNUSED_FOR,
            ..TrialChoices::default()
        })
    }

    /// Options that only `mode=trace` uses.
    fn set_for_traces(&mut self, value: &Value<'_>) -> Result<(), BadOption> {
        let events = &mut self.events;
        match value.key {
            "moves" => {
                self.moves = value.one_of([("exact", Moves::Exact), ("off", Moves::Off)])?;
            }
            "watch" if cfg!(feature = "test-switches") => self.watch_writes = value.on_off()?,
            "staleness" => self.staleness = value.staleness()?,
            // The words of 0.2.
            "dump" => {
                self.look = value.text == "look";
                self.dump =
                    matches!(value.text, "end" | "shutdown") || !self.look && value.on_off()?;
            }
            "remove" => value.remove(self.trial())?,
            "roots" => {
                self.roots = Some(value.one_of([
                    ("off", Roots::Off),
                    ("end", Roots::End),
                    ("collections", Roots::Collections),
                ])?);
            }
            "calls" => {
                self.calls = Some(value.one_of([
                    ("auto", Calls::Auto),
                    ("all", Calls::All),
                    ("off", Calls::Off),
                ])?);
            }
            "contexts-stay" if cfg!(feature = "test-switches") => {
                self.contexts_stay = value.on_off()?;
            }
            "redundant-stamps" if cfg!(feature = "test-switches") => {
                self.redundant_stamps = value.one_of([("on", true), ("off", false)])?;
            }
            "fault-at" if cfg!(feature = "test-switches") => {
                self.fault_at = u32::try_from(value.above_zero()?).ok();
            }
            "failing-check" if cfg!(feature = "test-switches") => {
                self.failing_check = Some(value.one_of([
                    ("stamp", SelfCheck::Stamp),
                    ("identity", SelfCheck::Identity),
                    ("hints", SelfCheck::Hints),
                    ("speed", SelfCheck::Speed),
                ])?);
            }
            "buffer-size" if cfg!(feature = "test-switches") => {
                self.buffer_size = Some(value.buffer_size()?)
            }
            "slow-handover" if cfg!(feature = "test-switches") => {
                events.slow_handover = Duration::from_millis(value.above_zero()? as u64);
            }
            "queue" if cfg!(feature = "test-switches") => events.queue = value.above_zero()?,
            "on-full" => events.drop_on_full = value.one_of([("wait", false), ("drop", true)])?,
            "compress" => events.compress = value.compress()?,
            "max-trace-size" => events.max_trace_size = value.trace_size()?,
            unknown => return Err(BadOption(format!("unknown option `{unknown}`"))),
        }
        Ok(())
    }
}

/// The entry of the table; none for the switches of tests.
fn known(key: &str) -> Result<Option<&'static AgentOption>, BadOption> {
    let option = AgentOption::find(key);
    let is_switch = cfg!(feature = "test-switches") && TEST_SWITCHES.contains(&key);
    if option.is_some() || is_switch {
        return Ok(option);
    }
    Err(BadOption(format!("unknown option `{key}`")))
}
