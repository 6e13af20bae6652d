//! Which programs run on which JDKs with which options.
//!
//! Every program with `counters=path` on every JDK of the matrix that is new enough for it, on one of them with `counters=site` too, and on one (the full
//! run: on all that can be traced) with `mode=trace`, where the counts are sums of events. To look at a few only:
//! `DUCKTRACK_KNOWN=Lambda,Boxing DUCKTRACK_KNOWN_JDKS=17,25 DUCKTRACK_KNOWN_OPTIONS=counters=site`.

use std::collections::BTreeMap;

use anyhow::ensure;
use ducktrack_tests::{Jdk, is_full_run, matrix_jdks};

use crate::program::{self, Program};

/// The JDK on which one counter per site is tried too.
const SITE_COUNTERS_ON: u32 = 17;
/// The JDK on which events are always added up.
const EVENTS_ON: u32 = 25;

/// What there is to run.
pub(crate) struct Matrix {
    jdks: Vec<Jdk>,
    programs: Vec<Program>,
    /// Instead of the usual ones.
    options: Option<String>,
}

/// One program on one JDK: without the agent, and with each of these options of the agent.
pub(crate) struct Task<'a> {
    pub(crate) jdk: &'a Jdk,
    pub(crate) program: &'a Program,
    pub(crate) options: Vec<&'a str>,
}

impl Task<'_> {
    /// `JDK 17 counters=path Boxing`
    pub(crate) fn name(&self, options: &str) -> String {
        let name = self.program.short_name();
        format!("JDK {} {options} {name}", self.jdk.version)
    }
}

impl Matrix {
    /// All of it, or what the variables leave of it.
    pub(crate) fn of_environment() -> anyhow::Result<Self> {
        let jdks = matrix_jdks()?;
        let version = |jdk: &Jdk| jdk.version.to_string();
        let programs = program::all()?;
        let name = |program: &Program| program.short_name().to_owned();
        Ok(Self {
            jdks: chosen(jdks, "DUCKTRACK_KNOWN_JDKS", version)?,
            programs: chosen(programs, "DUCKTRACK_KNOWN", name)?,
            options: std::env::var("DUCKTRACK_KNOWN_OPTIONS").ok(),
        })
    }

    /// All runs.
    pub(crate) fn tasks(&self) -> Vec<Task<'_>> {
        let mut tasks = Vec::new();
        for jdk in &self.jdks {
            let programs = self.programs.iter();
            let able = programs.filter(|program| program.level <= jdk.version);
            tasks.extend(able.map(|program| Task {
                jdk,
                program,
                options: self.options_on(jdk),
            }));
        }
        tasks
    }

    fn options_on(&self, jdk: &Jdk) -> Vec<&str> {
        if let Some(options) = &self.options {
            return vec![options];
        }
        let mut options = vec!["counters=path,reinstrument-after=0.5"];
        if jdk.version == SITE_COUNTERS_ON {
            options.push("counters=site");
        }
        if jdk.version == EVENTS_ON || is_full_run() && jdk.can_be_traced() {
            options.push("mode=trace");
        }
        options
    }
}

/// Those that a variable names; all if it is not set. A name that fits nothing is a mistake.
fn chosen<T>(all: Vec<T>, variable: &str, name: impl Fn(&T) -> String) -> anyhow::Result<Vec<T>> {
    let Ok(names) = std::env::var(variable) else {
        return Ok(all);
    };
    for wanted in names.split(',') {
        ensure!(
            all.iter().any(|one| name(one) == wanted),
            "{variable}: there is no {wanted}"
        );
    }
    let is_named = |one: &T| names.split(',').any(|wanted| wanted == name(one));
    Ok(all.into_iter().filter(is_named).collect())
}

/// `203 runs: 39 programs on JDK 11 counters=path, ...`
pub(crate) fn named(tasks: &[Task<'_>]) -> String {
    let mut programs: BTreeMap<(u32, &str), usize> = BTreeMap::new();
    for task in tasks {
        for &options in &task.options {
            *programs.entry((task.jdk.version, options)).or_default() += 1;
        }
    }
    let cells: Vec<String> = programs
        .iter()
        .map(|((jdk, options), count)| format!("{count} programs on JDK {jdk} {options}"))
        .collect();
    format!(
        "{} runs: {}",
        programs.values().sum::<usize>(),
        cells.join(", ")
    )
}
