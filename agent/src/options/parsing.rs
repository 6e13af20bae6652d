//! Parses the text after `-agentpath:library=` into [`Options`].

use std::fmt;

use super::value::Value;
use crate::control::Command;

use ducktrack_class_rewriter::Calls;

use super::{
    App, Counters, Mode, Moves, Options, RemoveAt, Roots, SelfCheck, Staleness, TrialChoices,
};

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
    /// Print [`super::HELP`] and leave the JVM unchanged.
    Help,
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
        let mut help = false;
        options.read(text, 0, &mut help)?;
        options.events.buffer_size = match (options.buffer_size, options.mode) {
            (Some(bytes), _) => bytes,
            (None, Mode::Full) => BUFFER_OF_RECORDS,
            (None, _) => options.events.buffer_size,
        };
        options.check()?;
        if options.app != App::Off {
            // The totals of a call are exact only if each allocation adds to them by itself.
            options.counters = Counters::Site;
        }
        Ok(if help {
            Request::Help
        } else {
            Request::Run(Box::new(options))
        })
    }

    /// Checks that the options are compatible.
    fn check(&self) -> Result<(), BadOption> {
        if self.trial.is_some() && (self.mode != Mode::Trace || self.staleness == Staleness::Off) {
            return Err(BadOption(
                "options `remove`, `remove-at` and `remove-after` need mode=trace and staleness"
                    .to_owned(),
            ));
        }
        // A trial needs no moves, because it looks at the objects themselves.
        let knows_moves =
            self.mode.has_events() && (self.moves != Moves::Off || self.trial.is_some());
        if self.staleness != Staleness::Off && !knows_moves {
            return Err(BadOption(
                "option `staleness` needs mode=trace, and moves=exact or moves=finish".to_owned(),
            ));
        }
        if self.app != App::Off && self.mode.has_events() {
            return Err(BadOption(
                "option `app` needs mode=count: the totals of calls are not recorded with events"
                    .to_owned(),
            ));
        }
        self.check_deaths()
    }

    /// Death times need every event and the results of every collection.
    fn check_deaths(&self) -> Result<(), BadOption> {
        if self.calls.is_some() && self.mode != Mode::Full {
            return Err(BadOption("option `calls` needs mode=full".to_owned()));
        }
        if self.roots.is_some() && !self.mode.has_deaths() {
            return Err(BadOption(
                "option `roots` needs mode=deaths or mode=full".to_owned(),
            ));
        }
        if !self.mode.has_deaths() {
            return Ok(());
        }
        let needs = [
            (self.moves == Moves::Exact, "moves=exact"),
            (self.staleness == Staleness::Off, "staleness=off"),
            (!self.events.drop_on_full, "on-full=wait"),
            (self.events.max_trace_size.is_none(), "max-trace-size=off"),
        ];
        let missing = needs.iter().find(|(is_so, _)| !is_so);
        match missing {
            Some((_, needed)) => {
                let mode = self.mode.word();
                Err(BadOption(format!("mode={mode} needs {needed}")))
            }
            None => Ok(()),
        }
    }

    fn read(&mut self, text: &str, depth: u32, help: &mut bool) -> Result<(), BadOption> {
        let items = text.split([',', '\n']).map(str::trim);
        for item in items.filter(|item| !item.is_empty()) {
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
                self.set(&Value::new(key.trim(), value.trim()))?;
            }
        }
        Ok(())
    }

    fn read_file(&mut self, path: &str, depth: u32, help: &mut bool) -> Result<(), BadOption> {
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
        self.read(&lines.join("\n"), depth + 1, help)
    }

    fn set(&mut self, value: &Value<'_>) -> Result<(), BadOption> {
        match value.key {
            "mode" => {
                self.mode = value.one_of(
                    [Mode::Count, Mode::Trace, Mode::Deaths, Mode::Full].map(|m| (m.word(), m)),
                )?;
            }
            "counters" => {
                self.counters =
                    value.one_of([("path", Counters::Path), ("site", Counters::Site)])?;
            }
            "output" => self.output = value.directory()?,
            "interval" => self.interval = value.interval()?,
            "mapped-memory" => self.mapped_memory = Some(value.mapped_memory()?),
            "summary" => self.summary = value.on_off()?,
            "include" => self.include.push(value.class_pattern()?),
            "exclude" => self.exclude.push(value.class_pattern()?),
            "reinstrument" => self.reinstrument = value.entries()?,
            "reinstrument-after" => self.reinstrument_after = value.seconds()?,
            "context" => self.context = value.context()?,
            "app" => self.app = value.app(std::mem::replace(&mut self.app, App::Off))?,
            "stacks" => self.stacks = value.stacks()?,
            "histogram" => self.histogram = value.on_off()?,
            "materialized" => self.materialized = value.on_off()?,
            "memory" => self.memory = value.memory()?,
            "control" => self.control = value.on_off()?,
            "log" => self.log = value.log_target()?,
            "level" => self.log_level = value.log_level()?,
            _ => self.set_for_traces(value)?,
        }
        Ok(())
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
                self.moves = value.one_of([
                    ("exact", Moves::Exact),
                    ("finish", Moves::Finish),
                    ("off", Moves::Off),
                ])?;
            }
            "watch" => self.watch_writes = value.on_off()?,
            "staleness" => self.staleness = value.staleness()?,
            "dump" => self.final_dump = value.one_of([("end", true), ("off", false)])?,
            "remove" => {
                let pair = value.type_pair()?;
                self.trial().pairs.extend(pair);
            }
            "remove-at" => {
                let at = value.one_of([
                    ("stale", RemoveAt::Stale),
                    ("oom", RemoveAt::Oom),
                    ("never", RemoveAt::Never),
                ])?;
                self.trial().at = at;
            }
            "remove-after" => {
                let after = value.above_zero()?;
                self.trial().after = u32::try_from(after).unwrap_or(u32::MAX);
            }
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
            "buffer-size" => self.buffer_size = Some(value.buffer_size()?),
            "buffer-deviation" => events.buffer_deviation = value.part_from(0.0)?,
            "queue" => events.queue = value.above_zero()?,
            "on-full" => events.drop_on_full = value.one_of([("wait", false), ("drop", true)])?,
            "compress" => events.compress = value.compress()?,
            "max-trace-size" => events.max_trace_size = value.trace_size()?,
            "max-deviation" => events.max_deviation = value.part_from(0.01)?,
            unknown => return Err(BadOption(format!("unknown option `{unknown}`"))),
        }
        Ok(())
    }
}
