//! Parses the value of one option.

use std::time::Duration;

use super::{
    App, BadOption, Cache, ClassPattern, Compress, Context, ContextSource, Counters, LogLevel,
    LogTarget, RemoveAt, Stacks, Staleness, TrialChoices, TypePair,
};

/// Bounds on the size of event buffers: the minimum is for tests; the maximum is the largest place that an event can encode.
const BUFFER_SIZES: std::ops::RangeInclusive<u64> = 256..=32 << 10;
/// Bounds on the VM's mean number of bytes between samples.
const SAMPLING_INTERVALS: std::ops::RangeInclusive<u64> = 1..=1 << 30;
/// With less, there is no room for the files of a trace.
const SMALLEST_TRACE: u64 = 1 << 20;
/// With less, nothing can be counted, or there is no room for the counters of a thread.
const LEAST_MEMORY: u64 = 1 << 20;
/// Fill level of the queue from which on `compress=partial` compresses.
const PARTIAL: f64 = 0.2;

/// The values of `counters=`.
const COUNTERS: &str =
    "site or path, with :EXECUTIONS above 0 and :SECONDS above 0, or :off, if wanted";

/// `record=`
#[derive(Clone, Copy)]
pub(super) enum Figure {
    /// The lengths of arrays.
    Lengths,
    /// The objects that reached the heap.
    Materialized,
}

/// `memory=`
pub(super) enum Memory {
    /// The bound on all of the agent's memory.
    Own(Option<u64>),
    /// The bytes that may be mapped from files.
    Mapped(u64),
}

/// `key=text`
pub(super) struct Value<'a> {
    pub(super) key: &'a str,
    pub(super) text: &'a str,
}

impl<'a> Value<'a> {
    pub(super) fn new(key: &'a str, text: &'a str) -> Self {
        Self { key, text }
    }

    fn bad(&self, expected: &str) -> BadOption {
        BadOption(format!(
            "option `{}={}` is not understood (expected {expected})",
            self.key, self.text
        ))
    }

    fn must_be<T>(&self, value: Option<T>, expected: &str) -> Result<T, BadOption> {
        value.ok_or_else(|| self.bad(expected))
    }

    /// Matches one of at least two words.
    pub(super) fn one_of<T: Copy, const N: usize>(
        &self,
        words: [(&str, T); N],
    ) -> Result<T, BadOption> {
        let found = words.iter().find(|(word, _)| *word == self.text);
        found.map(|&(_, meaning)| meaning).ok_or_else(|| {
            let names: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
            let (last, first) = names.split_last().unwrap_or((&"nothing", &[]));
            self.bad(&format!("{} or {last}", first.join(", ")))
        })
    }

    pub(super) fn on_off(&self) -> Result<bool, BadOption> {
        self.one_of([("on", true), ("off", false)])
    }

    pub(super) fn figure(&self) -> Result<Option<Figure>, BadOption> {
        self.one_of([
            ("lengths", Some(Figure::Lengths)),
            ("materialized", Some(Figure::Materialized)),
            ("off", None),
        ])
    }

    /// Adds patterns to those given before.
    pub(super) fn app(&self, before: App) -> Result<App, BadOption> {
        Ok(match self.text {
            "off" => App::Off,
            "on" | "auto" => App::Auto,
            _ => {
                let pattern = self.class_pattern()?;
                match before {
                    App::Classes(mut patterns) => {
                        patterns.push(pattern);
                        App::Classes(patterns)
                    }
                    _ => App::Classes(vec![pattern]),
                }
            }
        })
    }

    pub(super) fn directory(&self) -> Result<String, BadOption> {
        let directory = Some(self.text.to_owned()).filter(|text| !text.is_empty());
        self.must_be(directory, "a directory")
    }

    pub(super) fn cache(&self) -> Result<Cache, BadOption> {
        match self.text {
            "off" => Ok(Cache::Off),
            "" => Err(self.bad("a directory or off")),
            directory => Ok(Cache::Directory(directory.into())),
        }
    }

    /// `LEVEL`, `TARGET` or `LEVEL:TARGET`.
    pub(super) fn log(&self) -> Result<(LogLevel, LogTarget), BadOption> {
        let (first, rest) = match self.text.split_once(':') {
            Some((first, rest)) => (first, Some(rest)),
            None => (self.text, None),
        };
        let (level, target) = match (log_level(first), rest) {
            (Some(level), None) => (level, "stderr"),
            (Some(level), Some(target)) => (level, target),
            (None, _) => (LogLevel::Warn, self.text),
        };
        match target {
            "" => Err(self.bad("stderr or a file, after error:, warn:, info: or debug: if wanted")),
            "stderr" => Ok((level, LogTarget::Stderr)),
            path => Ok((level, LogTarget::File(path.into()))),
        }
    }

    /// Whether classes of the pattern are recorded, and the pattern.
    pub(super) fn chosen_classes(&self) -> Result<(bool, ClassPattern), BadOption> {
        let left_out = self.text.strip_prefix("not:");
        let pattern = Some(left_out.unwrap_or(self.text)).filter(|text| !text.is_empty());
        let pattern = self.must_be(pattern, "a class pattern, after not: if wanted")?;
        Ok((left_out.is_none(), ClassPattern::new(pattern)))
    }

    pub(super) fn class_pattern(&self) -> Result<ClassPattern, BadOption> {
        let pattern = Some(self.text).filter(|text| !text.is_empty());
        self.must_be(pattern.map(ClassPattern::new), "a class pattern")
    }

    pub(super) fn staleness(&self) -> Result<Staleness, BadOption> {
        match self.text {
            "off" => Ok(Staleness::Off),
            "on" => Ok(Staleness::On),
            "" => Err(self.bad("on, off or a class pattern")),
            pattern => Ok(Staleness::CodeOf(ClassPattern::new(pattern))),
        }
    }

    /// Adds a pair, or sets when pairs are removed.
    pub(super) fn remove(&self, trial: &mut TrialChoices) -> Result<(), BadOption> {
        let expected = "none, SOURCE->TARGET, as in java.util.HashMap$Node->com.acme.Session, or stale, oom or never with :COLLECTIONS";
        if self.text == "none" {
            return Ok(());
        }
        if let Some(pair) = TypePair::parse(self.text) {
            trial.pairs.push(pair);
            return Ok(());
        }
        let (when, after) = match self.text.split_once(':') {
            Some((when, after)) => (when, after.parse().ok().filter(|after| *after > 0)),
            None => (self.text, Some(trial.after)),
        };
        trial.at = match when {
            "stale" => RemoveAt::Stale,
            "oom" => RemoveAt::Oom,
            "never" => RemoveAt::Never,
            _ => return Err(self.bad(expected)),
        };
        trial.after = self.must_be(after, expected)?;
        Ok(())
    }

    pub(super) fn context_source(&self) -> Result<ContextSource, BadOption> {
        self.must_be(
            ContextSource::parse(self.text),
            "http, sql, messages, jobs, tests, otel, objects, [KIND:]CLASS.METHOD or [KIND:]CLASS.METHOD(N), as in com.acme.*Controller.* or sql:com.acme.Db.query(1)",
        )
    }

    pub(super) fn context(&self) -> Result<Context, BadOption> {
        match self.text {
            "auto" => Ok(Context::Auto),
            "off" => Ok(Context::Off),
            "" => Err(self.bad("auto, off or a file")),
            path => match std::fs::metadata(path) {
                Ok(_) => Ok(Context::File(path.into())),
                Err(error) => Err(self.bad(&format!("auto, off or a readable file: {error}"))),
            },
        }
    }

    pub(super) fn interval(&self) -> Result<Option<Duration>, BadOption> {
        self.unless_off("seconds above 0, or off", seconds)
    }

    /// `path[:WHEN]` or `site`.
    pub(super) fn counters(&self) -> Result<Counters, BadOption> {
        match self
            .text
            .split_once(':')
            .map_or(self.text, |(kind, _)| kind)
        {
            "path" => Ok(Counters::Path),
            "site" if self.text == "site" => Ok(Counters::Site),
            _ => Err(self.bad(COUNTERS)),
        }
    }

    /// When methods are rewritten for their measured hot paths, if the value tells: `path:EXECUTIONS[:SECONDS]` or `path:off`. The seconds
    /// are `after` if they are not given.
    pub(super) fn hot_paths(
        &self,
        after: Duration,
    ) -> Result<Option<(Option<u64>, Duration)>, BadOption> {
        let Some((_, when)) = self.text.split_once(':') else {
            return Ok(None);
        };
        if when == "off" {
            return Ok(Some((None, after)));
        }
        let (executions, seconds) = match when.split_once(':') {
            Some((executions, text)) => (executions, seconds(text)),
            None => (when, Some(after)),
        };
        let executions = executions.parse().ok().filter(|count| *count > 0);
        let executions = self.must_be(executions, COUNTERS)?;
        Ok(Some((Some(executions), self.must_be(seconds, COUNTERS)?)))
    }

    pub(super) fn trace_size(&self) -> Result<Option<u64>, BadOption> {
        self.unless_off("bytes from 1m on, or off", |text| {
            bytes(text).filter(|size| *size >= SMALLEST_TRACE)
        })
    }

    pub(super) fn stacks(&self) -> Result<Stacks, BadOption> {
        let stacks = match self.text {
            "on" => Some(Stacks::On),
            "off" => Some(Stacks::Off),
            text => bytes(text)
                .filter(|interval| SAMPLING_INTERVALS.contains(interval))
                .map(Stacks::Every),
        };
        self.must_be(stacks, "on, off or bytes from 1 to 1g")
    }

    pub(super) fn memory(&self) -> Result<Memory, BadOption> {
        let expected = "bytes from 1m on, or off, after mapped: if wanted";
        let (is_mapped, text) = match self.text.strip_prefix("mapped:") {
            Some(text) => (true, text),
            None => (false, self.text),
        };
        let bound = match text {
            "off" => None,
            text => {
                let size = bytes(text).filter(|size| *size >= LEAST_MEMORY);
                Some(self.must_be(size, expected)?)
            }
        };
        Ok(match is_mapped {
            true => Memory::Mapped(bound.unwrap_or(0)),
            false => Memory::Own(bound),
        })
    }

    fn unless_off<T>(
        &self,
        expected: &str,
        read: impl FnOnce(&str) -> Option<T>,
    ) -> Result<Option<T>, BadOption> {
        match self.text {
            "off" => Ok(None),
            text => self.must_be(read(text), expected).map(Some),
        }
    }

    pub(super) fn buffer_size(&self) -> Result<usize, BadOption> {
        let size = bytes(self.text).filter(|size| BUFFER_SIZES.contains(size));
        self.must_be(
            size.and_then(|size| usize::try_from(size).ok()),
            "bytes from 256 to 32k",
        )
    }

    pub(super) fn above_zero(&self) -> Result<usize, BadOption> {
        let number = self.text.parse().ok().filter(|number| *number > 0);
        self.must_be(number, "a number above 0")
    }

    pub(super) fn compress(&self) -> Result<Compress, BadOption> {
        let compress = match self.text {
            "full" => Some(Compress::Full),
            "partial" => Some(Compress::Partial(PARTIAL)),
            "off" => Some(Compress::Off),
            other => other
                .strip_prefix("partial:")
                .and_then(part)
                .map(Compress::Partial),
        };
        self.must_be(compress, "full, partial, partial:PART or off")
    }
}

fn log_level(word: &str) -> Option<LogLevel> {
    match word {
        "error" => Some(LogLevel::Error),
        "warn" => Some(LogLevel::Warn),
        "info" => Some(LogLevel::Info),
        "debug" => Some(LogLevel::Debug),
        _ => None,
    }
}

fn seconds(text: &str) -> Option<Duration> {
    let seconds: f64 = text.parse().ok()?;
    (0.01..=1e9)
        .contains(&seconds)
        .then(|| Duration::from_secs_f64(seconds))
}

/// Parses `16k`, `64m`, `2g`, or plain bytes.
fn bytes(text: &str) -> Option<u64> {
    let digits = text.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
    let unit = match text.get(digits.len()..)?.to_ascii_lowercase().as_str() {
        "" => 1,
        "k" => 1 << 10,
        "m" => 1 << 20,
        "g" => 1 << 30,
        _ => return None,
    };
    digits.parse::<u64>().ok()?.checked_mul(unit)
}

fn part(text: &str) -> Option<f64> {
    let part: f64 = text.parse().ok()?;
    (0.0..=1.0).contains(&part).then_some(part)
}
