//! Which programs run on which JDKs with which options.
//!
//! Every program with `counters=path` on a JDK of the matrix that is new enough for it, another for each program, and on one with
//! either `counters=site` or `mode=trace`, where the counts are sums of events. In the full run and in that on one JDK: all of them
//! (the full run: `mode=trace` on all that can be traced; a JDK that is not in the list yet: with each of the options). To look at
//! a few only, with all options: `DUCKTRACK_KNOWN=Lambda,Boxing DUCKTRACK_KNOWN_JDKS=17,25 DUCKTRACK_KNOWN_OPTIONS=counters=site`.

use std::collections::BTreeMap;

use anyhow::ensure;
use ducktrack_tests::{Jdk, Turns, is_full_run, matrix_jdks};

use crate::program::{self, Program};

/// The variables that select programs, JDKs and options.
const VARIABLES: [&str; 3] = [
    "DUCKTRACK_KNOWN",
    "DUCKTRACK_KNOWN_JDKS",
    "DUCKTRACK_KNOWN_OPTIONS",
];
/// The options with which every program runs.
const USUAL: &str = "counters=path:10000:0.5";
/// The JDK on which one counter per site is tried too.
const SITE_COUNTERS_ON: u32 = 17;
/// The JDK on which events are always added up.
const EVENTS_ON: u32 = 25;

/// The runs.
pub(crate) struct Matrix {
    jdks: Vec<Jdk>,
    programs: Vec<Program>,
    /// Instead of the usual ones.
    options: Option<String>,
    /// By a variable: all runs are taken.
    is_asked_for: bool,
}

/// A JDK and the options of the agent.
type Run<'a> = (&'a Jdk, &'a str);

/// One program on one JDK: without the agent, and with each of these options of the agent.
#[derive(Clone)]
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
        let jdks = matrix_jdks();
        let version = |jdk: &Jdk| jdk.version.to_string();
        let programs = program::all()?;
        let name = |program: &Program| program.short_name().to_owned();
        Ok(Self {
            jdks: chosen(jdks, VARIABLES[1], version)?,
            programs: chosen(programs, VARIABLES[0], name)?,
            options: std::env::var(VARIABLES[2]).ok(),
            is_asked_for: VARIABLES
                .iter()
                .any(|name| std::env::var_os(name).is_some()),
        })
    }

    /// All runs if a variable names some. Else each program has one run with the usual options and one with others; the JDKs take turns.
    pub(crate) fn tasks(&self) -> Vec<Task<'_>> {
        let (mut tasks, mut turns) = (Vec::new(), Turns::new());
        for (turn, program) in self.programs.iter().enumerate() {
            let runs = self.runs_of(program);
            let taken = match self.is_asked_for {
                true => runs,
                false => in_turn(&runs, &mut turns, turn),
            };
            for jdk in &self.jdks {
                let of_jdk = taken.iter().filter(|run| run.0.version == jdk.version);
                let options: Vec<&str> = of_jdk.map(|run| run.1).collect();
                if !options.is_empty() {
                    tasks.push(Task {
                        jdk,
                        program,
                        options,
                    });
                }
            }
        }
        turns.announce("known counts");
        tasks
    }

    /// Each program on one JDK, with these options; the JDKs take turns. A
    /// third of the programs, but in the full run and in that on one JDK.
    pub(crate) fn tasks_with<'a>(&'a self, options: &'a str) -> Vec<Task<'a>> {
        let mut tasks = self.tasks();
        for task in &mut tasks {
            task.options = vec![options];
        }
        tasks.dedup_by_key(|task| task.program.short_name().to_owned());
        let (mut turns, mut taken) = (Turns::new(), Vec::new());
        for (turn, three) in tasks.chunks(3).enumerate() {
            taken.extend(turns.take(three, turn).iter().cloned());
        }
        turns.announce("programs with kept classes");
        taken
    }

    /// Each JDK that is new enough with each of its options.
    fn runs_of(&self, program: &Program) -> Vec<Run<'_>> {
        let able = self.jdks.iter().filter(|jdk| program.level <= jdk.version);
        able.flat_map(|jdk| self.options_on(jdk).into_iter().map(move |one| (jdk, one)))
            .collect()
    }

    fn options_on(&self, jdk: &Jdk) -> Vec<&str> {
        if let Some(options) = &self.options {
            return vec![options];
        }
        let mut options = vec![USUAL];
        if jdk.version == SITE_COUNTERS_ON || jdk.is_new() {
            options.push("counters=site");
        }
        let is_added_up = jdk.version == EVENTS_ON || is_full_run() || jdk.is_new();
        if is_added_up && jdk.can_be_traced() {
            options.push("mode=trace");
        }
        options
    }
}

/// One run with the usual options, and one with others.
fn in_turn<'a>(runs: &[Run<'a>], turns: &mut Turns, turn: usize) -> Vec<Run<'a>> {
    let (usual, others): (Vec<Run<'_>>, Vec<Run<'_>>) =
        runs.iter().copied().partition(|run| run.1 == USUAL);
    [turns.take(&usual, turn), turns.take(&others, turn)].concat()
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
