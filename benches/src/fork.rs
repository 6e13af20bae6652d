//! One fork: a new JVM with a tool runs one program and is watched until it ends.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use crate::harness_lines::HarnessLine;
use crate::process_watch::{ProcessWatch, ended_children_cpu_ms};
use crate::way::Way;
use crate::{Installation, Iteration, Measurement, Outcome, Tool};

/// The program of a fork.
#[derive(Clone, Debug)]
pub enum Program {
    /// A workload of the harness.
    Workload(String),
    /// The program with known counts.
    KnownCounts,
}

/// Numbers of iterations, and time limits.
#[derive(Clone, Debug)]
pub struct ForkSettings {
    /// Iterations that are measured.
    pub measured: usize,
    /// Least number of warm-up iterations.
    pub warm_up: usize,
    /// Least duration of a workload's warm-up.
    pub warm_up_seconds: u64,
    /// A JVM that has not ended by then is killed.
    pub limit: Duration,
    /// Options for every JVM, before the tool's.
    pub jvm_options: Vec<String>,
    /// The recording gets this mark when the program is warm: what comes after it can be told apart.
    pub mark: Option<&'static str>,
}

impl ForkSettings {
    /// A fixed heap and G1, as in `workloads.md`.
    pub fn new(measured: usize, warm_up: usize, warm_up_seconds: u64) -> ForkSettings {
        let jvm_options = ["-Xms1g", "-Xmx1g", "-XX:+UseG1GC"]
            .map(str::to_owned)
            .to_vec();
        ForkSettings {
            measured,
            warm_up,
            warm_up_seconds,
            limit: Duration::from_secs(900),
            jvm_options,
            mark: None,
        }
    }
}

impl Program {
    /// The name in results.
    pub fn name(&self) -> &str {
        match self {
            Program::Workload(name) => name,
            Program::KnownCounts => "known",
        }
    }

    fn arguments(&self, installation: &Installation, settings: &ForkSettings) -> Vec<String> {
        let classes = installation.classes.display().to_string();
        match self {
            Program::Workload(name) => workload_arguments(name, installation, settings),
            Program::KnownCounts => {
                let iterations = settings.warm_up + settings.measured;
                vec![
                    "-cp".into(),
                    classes,
                    "KnownCounts".into(),
                    iterations.to_string(),
                ]
            }
        }
    }

    /// The number of warm-up iterations, if the program does not report when it is warm.
    fn fixed_warm_up(&self, settings: &ForkSettings) -> Option<usize> {
        let says_when_warm = settings.warm_up > 0 || settings.warm_up_seconds > 0;
        match self {
            Program::Workload(_) if says_when_warm => None,
            _ => Some(settings.warm_up),
        }
    }
}

fn workload_arguments(
    name: &str,
    installation: &Installation,
    settings: &ForkSettings,
) -> Vec<String> {
    let jar = installation.harness.display().to_string();
    let mut words = vec!["-jar".into(), jar, name.to_owned()];
    for (option, value) in [
        ("--iterations", settings.measured as u64),
        ("--warm-up", settings.warm_up as u64),
        ("--warm-up-seconds", settings.warm_up_seconds),
    ] {
        if value > 0 {
            words.extend([option.to_owned(), value.to_string()]);
        }
    }
    words
}

/// A finished fork: its measurement, and the truth if the program knows it.
#[derive(Clone, Debug)]
pub(crate) struct Finished {
    pub(crate) measurement: Measurement,
    pub(crate) truth: Vec<Way>,
}

/// Runs one fork; its standard error and the tool's output go into `directory`.
pub fn run_fork(
    installation: &Installation,
    tool: &Tool,
    program: &Program,
    settings: &ForkSettings,
    directory: &Path,
) -> Result<Measurement> {
    run_fork_with_truth(installation, tool, program, settings, directory)
        .map(|finished| finished.measurement)
}

pub(crate) fn run_fork_with_truth(
    installation: &Installation,
    tool: &Tool,
    program: &Program,
    settings: &ForkSettings,
    directory: &Path,
) -> Result<Finished> {
    let cpu_before = ended_children_cpu_ms().unwrap_or(0.0);
    let started = Instant::now();
    let mut child = spawn(installation, tool, program, settings, directory)?;
    let watch = ProcessWatch::start(child.id(), settings.limit);
    let warm_up = program.fixed_warm_up(settings);
    let mut listener = Listener::new(child.id(), settings, warm_up);
    listener.command = Some(installation.command.clone());
    listener.listen(&mut child);
    let status = child.wait().context("waiting for the JVM")?;
    let process_wall_ms = started.elapsed().as_secs_f64() * 1e3;
    let process_cpu_ms = ended_children_cpu_ms().unwrap_or(0.0) - cpu_before;
    let watched = watch.finish();
    let outcome = listener.outcome(status, watched.timed_out, directory);
    let measurement = Measurement {
        workload: program.name().to_owned(),
        tool: tool.name.clone(),
        round: 0,
        outcome,
        iterations: listener.iterations,
        warm_up: listener.warm_up.unwrap_or(usize::MAX),
        process_wall_ms,
        process_cpu_ms,
        peak_memory_bytes: watched.peak_bytes,
    };
    Ok(Finished {
        measurement,
        truth: listener.truth,
    })
}

fn spawn(
    installation: &Installation,
    tool: &Tool,
    program: &Program,
    settings: &ForkSettings,
    directory: &Path,
) -> Result<Child> {
    let mut command = Command::new(installation.java());
    command
        .args(&settings.jvm_options)
        .args(tool.jvm_options(installation, directory)?)
        .args(program.arguments(installation, settings))
        .current_dir(directory)
        .env_remove("JAVA_TOOL_OPTIONS")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(File::create(directory.join("stderr.txt"))?);
    command
        .spawn()
        .with_context(|| format!("{}", installation.java().display()))
}

/// Reads the lines of the program while it runs.
struct Listener<'a> {
    pid: u32,
    settings: &'a ForkSettings,
    /// `ducktrack`, where it is.
    command: Option<PathBuf>,
    iterations: Vec<Iteration>,
    /// How many of them are warm-up, once known.
    warm_up: Option<usize>,
    truth: Vec<Way>,
    ended: Option<bool>,
    skipped: Option<String>,
    /// The last line that is not the harness's: a JVM that refuses its options prints the reason to standard output.
    other_line: Option<String>,
}

impl<'a> Listener<'a> {
    fn new(pid: u32, settings: &'a ForkSettings, warm_up: Option<usize>) -> Listener<'a> {
        let (iterations, truth) = (Vec::new(), Vec::new());
        Listener {
            pid,
            settings,
            command: None,
            iterations,
            warm_up,
            truth,
            ended: None,
            skipped: None,
            other_line: None,
        }
    }

    fn listen(&mut self, child: &mut Child) {
        let Some(output) = child.stdout.take() else {
            return;
        };
        // Lines that are not UTF-8 are not the harness's.
        for line in BufReader::new(output).split(b'\n').map_while(Result::ok) {
            self.hear(&String::from_utf8_lossy(&line));
        }
    }

    fn hear(&mut self, line: &str) {
        match HarnessLine::parse(line) {
            HarnessLine::Iteration(iteration) => self.iterations.push(iteration),
            HarnessLine::Warm => {
                self.warm_up = Some(self.iterations.len());
                self.set_mark();
            }
            HarnessLine::End { ok } => self.ended = Some(ok),
            HarnessLine::Skip { reason } => self.skipped = Some(reason),
            HarnessLine::Truth(way) => self.truth.push(way),
            HarnessLine::Other if line.trim().is_empty() => {}
            HarnessLine::Other => self.other_line = Some(line.trim().to_owned()),
        }
    }

    /// Without a mark the report of what comes after it fails, so its own failure need not be told.
    fn set_mark(&self) {
        if let (Some(mark), Some(command)) = (self.settings.mark, &self.command) {
            let mut command = Command::new(command);
            command.args(["snapshot", &self.pid.to_string(), "--mark", mark]);
            let _ = command.stdout(Stdio::null()).stderr(Stdio::null()).status();
        }
    }

    fn outcome(&self, status: ExitStatus, timed_out: bool, directory: &Path) -> Outcome {
        if let Some(reason) = &self.skipped {
            return Outcome::Skipped(reason.clone());
        }
        if timed_out {
            return Outcome::Failed(format!(
                "not finished after {} s",
                self.settings.limit.as_secs()
            ));
        }
        if !status.success() {
            let last = last_line(directory).or_else(|| self.other_line.clone());
            let last = last.as_deref().unwrap_or("nothing");
            return Outcome::Failed(format!("{status}; its last line: {last}"));
        }
        match self.ended {
            Some(true) => Outcome::Done,
            Some(false) => Outcome::Failed("the program says that its checksums differ".to_owned()),
            None => Outcome::Failed("the program did not reach its end".to_owned()),
        }
    }
}

/// The last line of standard error.
fn last_line(directory: &Path) -> Option<String> {
    let text = std::fs::read(directory.join("stderr.txt")).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let last = text.lines().rfind(|line| !line.trim().is_empty());
    last.map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::ExitStatusExt;

    use super::*;

    /// The outcome for a JVM that exited with 1 after this output.
    fn failure(output: &str, errors: &str) -> Outcome {
        let directory = tempfile::tempdir().expect("folder");
        std::fs::write(directory.path().join("stderr.txt"), errors).expect("file");
        let settings = ForkSettings::new(1, 0, 0);
        let mut listener = Listener::new(0, &settings, None);
        output.lines().for_each(|line| listener.hear(line));
        let status = ExitStatus::from_raw(1 << 8);
        listener.outcome(status, false, directory.path())
    }

    #[test]
    fn a_refused_option_is_reported_from_either_stream() {
        let refused =
            "Error occurred during initialization of VM\nCould not find agent library\n\n";
        for (output, errors) in [(refused, ""), ("{\"event\":\"start\"}\n", refused)] {
            let Outcome::Failed(why) = failure(output, errors) else {
                panic!("it has failed");
            };
            assert!(
                why.ends_with("last line: Could not find agent library"),
                "{why}"
            );
        }
    }
}
