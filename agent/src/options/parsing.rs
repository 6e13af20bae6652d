//! From the text behind `-agentpath:library=` to [`Options`].

use std::fmt;

use super::value::Value;
use super::{Counters, Mode, Moves, Options};

/// Files of options may name further ones, so deep.
const DEEPEST_FILE: u32 = 8;

/// What the option string asks for.
#[derive(Clone, Debug, PartialEq)]
pub enum Request {
    /// Run with these.
    Run(Box<Options>),
    /// Print [`super::HELP`] and start the JVM untouched.
    Help,
}

/// Why the JVM must not start: one line.
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
                self.mode = value.one_of([("count", Mode::Count), ("trace", Mode::Trace)])?;
            }
            "counters" => {
                self.counters =
                    value.one_of([("path", Counters::Path), ("site", Counters::Site)])?;
            }
            "output" => self.output = value.directory()?,
            "interval" => self.interval = value.interval()?,
            "summary" => self.summary = value.on_off()?,
            "include" => self.include.push(value.class_pattern()?),
            "exclude" => self.exclude.push(value.class_pattern()?),
            "reinstrument" => self.reinstrument = value.entries()?,
            "context" => self.context = value.context()?,
            "histogram" => self.histogram = value.on_off()?,
            "materialized" => self.materialized = value.on_off()?,
            "log" => self.log = value.log_target()?,
            "level" => self.log_level = value.log_level()?,
            _ => self.set_for_traces(value)?,
        }
        Ok(())
    }

    /// What only `mode=trace` heeds.
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
            "fault-at" => self.fault_at = u32::try_from(value.above_zero()?).ok(),
            "buffer-size" => events.buffer_size = value.buffer_size()?,
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
