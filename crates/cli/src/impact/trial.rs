//! One run of the program under the agent.

use std::cell::Cell;
use std::ffi::OsString;
use std::hash::Hasher;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;

use anyhow::{Context, Result, bail};
use ducktrack_count_model::Trial;
use ducktrack_reports::{RemovalMoment, TrialChange, TrialRun};
use rustc_hash::FxHasher;
use rustix::process::{Pid, Signal, kill_process};

use super::pair::Pair;
use super::switch::Switch;
use crate::records::load_records;
use crate::run::{TOOL_OPTIONS, agent_flag, is_java, tool_options};

/// HotSpot takes these options after those of the command line, so that they hold.
const LAST_OPTIONS: &str = "_JAVA_OPTIONS";
/// A VM that crashes ends by SIGABRT; the others are of crashes that it could not handle: SIGSEGV, SIGBUS, SIGILL, SIGFPE.
const CRASHES: [i32; 5] = [6, 11, 7, 4, 8];
/// The part of a program's messages that is shown when it fails.
const LAST_BYTES: usize = 400;
/// The agent looks for at most this many pairs in a run.
const MOST_PAIRS: usize = 8;

thread_local! {
    /// The number of the next trace.
    static NEXT: Cell<u32> = const { Cell::new(0) };
}

/// The change of a trial that is no base trial.
pub(super) enum Change {
    Removal(Pair),
    Switch(Switch),
}

impl Change {
    /// As the report has it.
    pub(super) fn document(&self) -> TrialChange {
        match self {
            Self::Removal(pair) => TrialChange::Removal {
                source: pair.source.clone(),
                target: pair.target.clone(),
            },
            Self::Switch(switch) => TrialChange::Option {
                option: switch.option.clone(),
                sites: switch.sites.clone(),
            },
        }
    }

    /// The pair whose references are removed, as the agent has it.
    fn removed(&self) -> Option<String> {
        match self {
            Self::Removal(pair) => Some(format!("{}->{}", pair.source, pair.target)),
            Self::Switch(_) => None,
        }
    }

    /// The score of `ducktrack leaks`.
    pub(super) fn score(&self) -> Option<f64> {
        match self {
            Self::Removal(pair) => pair.score,
            Self::Switch(_) => None,
        }
    }
}

/// The work of the agent in trials.
pub(super) struct TrialWork {
    at: RemovalMoment,
    after: u32,
    /// The first pairs of all trials.
    pairs: Vec<String>,
}

impl TrialWork {
    pub(super) fn new(at: RemovalMoment, after: u32, changes: &[Change]) -> Self {
        let pairs = changes.iter().filter_map(Change::removed);
        Self {
            at,
            after,
            pairs: pairs.take(MOST_PAIRS).collect(),
        }
    }

    /// Trials that remove nothing look for references as often as the others: the collection after a look takes longer.
    fn options(&self, change: Option<&Change>) -> String {
        let (at, pairs) = match change.and_then(Change::removed) {
            Some(pair) => (self.at.word(), vec![pair]),
            None if self.pairs.is_empty() => (self.at.word(), vec!["none".to_owned()]),
            None => ("never", self.pairs.clone()),
        };
        format!(
            "remove={at}:{},remove={}",
            self.after,
            pairs.join(",remove=")
        )
    }
}

/// The program that is tried.
pub(super) struct Program {
    pub(super) library: PathBuf,
    pub(super) command: Vec<OsString>,
    pub(super) until_line: Option<String>,
    /// Where traces go.
    pub(super) folder: PathBuf,
}

/// How a run ended.
struct Ending {
    exit: Option<i32>,
    /// The signal that ended it.
    signal: Option<i32>,
    /// A hash of standard output.
    output: u64,
    /// The end of standard error.
    messages: String,
}

impl Program {
    /// The command as a person would write it.
    pub(super) fn name(&self) -> String {
        let words = self.command.iter().map(|word| word.to_string_lossy());
        words.collect::<Vec<_>>().join(" ")
    }

    /// A traced run with a heap dump at its end; the directory of its trace.
    pub(super) fn traced(&self) -> Result<PathBuf> {
        let trace = self.folder.join("candidates");
        let ending = self.run(&trace, "mode=trace,staleness=on,dump=on,summary=off", None)?;
        if !trace.is_dir() {
            bail!(
                "the program wrote no trace (exit code {}): {}",
                code(ending.exit),
                ending.messages.trim()
            );
        }
        Ok(trace)
    }

    /// A trial; `None`: a base trial.
    pub(super) fn trial(&self, work: &TrialWork, change: Option<&Change>) -> Result<TrialRun> {
        let number = NEXT.replace(NEXT.get() + 1);
        let trace = self.folder.join(format!("trial-{number}"));
        let switch = match change {
            Some(Change::Switch(switch)) => Some(switch.option.as_str()),
            _ => None,
        };
        let options = format!(
            "mode=trace,moves=off,staleness=on,stacks=off,context=off,summary=off,{}",
            work.options(change)
        );
        let ending = self.run(&trace, &options, switch)?;
        Ok(TrialRun {
            trial: result(&trace)?,
            crashed: ending
                .signal
                .is_some_and(|signal| CRASHES.contains(&signal)),
            exit: ending.exit,
            output: ending.output,
        })
    }

    /// Why no base trial has a result.
    pub(super) fn without_result(&self) -> String {
        format!(
            "no trial of `{}` has a result: it must start a JVM of 17 or later with Serial, Parallel or G1, and end by itself or on SIGTERM (--until-line)",
            self.name()
        )
    }

    /// `switch`: one more option of the JVM.
    fn run(&self, trace: &Path, options: &str, switch: Option<&str>) -> Result<Ending> {
        let options = format!("output={},{options}", trace.display());
        let flag = agent_flag(&self.library, &options)?;
        let (program, arguments) = self.command.split_first().context("no command")?;
        let mut command = Command::new(program);
        if is_java(program) {
            command.arg(&flag).args(arguments);
        } else {
            command
                .args(arguments)
                .env(TOOL_OPTIONS, tool_options(&flag));
        }
        if let Some(switch) = switch {
            command.env(LAST_OPTIONS, switch);
        }
        command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let child = command.spawn().with_context(|| {
            format!(
                "cannot start {}; is it installed and on the PATH?",
                program.to_string_lossy()
            )
        })?;
        self.wait(child)
    }

    fn wait(&self, mut child: Child) -> Result<Ending> {
        let errors = child.stderr.take();
        let messages = thread::spawn(move || last_bytes(errors));
        let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
        let output = match child.stdout.take() {
            Some(stdout) => self.read_lines(BufReader::new(stdout), pid),
            None => 0,
        };
        let status = child.wait().context("cannot wait for the program")?;
        Ok(Ending {
            exit: status.code(),
            signal: status.signal(),
            output,
            messages: messages.join().unwrap_or_default(),
        })
    }

    /// A hash of all lines; at the line that ends a trial the program is asked to end, and its output after that is ignored.
    fn read_lines(&self, mut lines: impl BufRead, pid: Option<Pid>) -> u64 {
        let mut hash = FxHasher::default();
        let mut line = Vec::new();
        let mut has_ended = false;
        while lines
            .read_until(b'\n', &mut line)
            .is_ok_and(|bytes| bytes > 0)
        {
            if !has_ended {
                hash.write(&line);
            }
            let text = String::from_utf8_lossy(&line);
            let ends = |wanted: &String| text.contains(wanted.as_str());
            if !has_ended && self.until_line.as_ref().is_some_and(ends) {
                has_ended = true;
                // A program that has just ended is no fault.
                let _ = pid.map(|pid| kill_process(pid, Signal::TERM));
            }
            line.clear();
        }
        hash.finish()
    }
}

fn code(exit: Option<i32>) -> String {
    exit.map_or_else(|| "none: killed".to_owned(), |code| code.to_string())
}

fn last_bytes(from: Option<impl Read>) -> String {
    let mut all = Vec::new();
    if let Some(mut from) = from {
        // The part that was read until then is all there is.
        let _ = from.read_to_end(&mut all);
    }
    let start = all.len().saturating_sub(LAST_BYTES);
    String::from_utf8_lossy(&all[start..]).into_owned()
}

/// The figures of a trial.
fn result(trace: &Path) -> Result<Option<Trial>> {
    if !trace.is_dir() {
        return Ok(None);
    }
    Ok(load_records(trace)?.finish().trial)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trials_that_remove_nothing_look_for_all_pairs() {
        let pair = |name: &str| Change::Removal(name.parse().expect("a pair"));
        let switch = Change::Switch("a.B=-Dc=d".parse().expect("a switch"));
        let changes = [pair("a.A->b.B"), pair("c.C->byte[]"), switch];
        let work = TrialWork::new(RemovalMoment::Stale, 3, &changes);
        let both = "remove=never:3,remove=a.A->b.B,remove=c.C->byte[]";
        assert_eq!(work.options(None), both);
        assert_eq!(work.options(changes.last()), both);
        let second = "remove=stale:3,remove=c.C->byte[]";
        assert_eq!(work.options(changes.get(1)), second);
        let switches = TrialWork::new(RemovalMoment::Oom, 8, &changes[2..]);
        let none = "remove=oom:8,remove=none";
        assert_eq!(switches.options(None), none);
    }
}
