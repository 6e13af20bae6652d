//! Machine code that counting adds in C2, per executed counter: a figure that does not depend on timing.
//!
//! A workload runs without and with the agent, both times with a compilation log. Only methods that C2 compiled in both runs *with
//! the same inlining* are compared, so the difference in their machine code comes from the counters and not from different inlining.
//! It is divided by the number of helper calls that C2 compiled into them (C2 leaves out branches that are never taken, so these are
//! the executed counters). A second bare run shows how much the same methods differ without any agent: the noise of the figure.

use std::fs::File;
use std::io::BufReader;

use anyhow::{Context, Result, bail};
use serde::Serialize;

use crate::{
    CompilationLog, ForkSettings, Installation, Outcome, Program, Spread, Tool, Workload, median,
    run_fork,
};

/// The machine code that counting adds.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CodeSize {
    /// The workload.
    pub workload: String,
    /// `path` or `site`.
    pub counters: String,
    /// Methods compared: compiled in both runs, same inlining, at least one counter.
    pub methods: usize,
    /// Methods with counters that could not be compared: inlined differently, or compiled in only one run.
    pub left_out: usize,
    /// Counters compiled into the compared methods.
    pub probes: usize,
    /// Bytes added to the compared methods, divided by their counters.
    pub bytes_per_probe: Option<f64>,
    /// Bytes per counter of each method.
    pub per_method: Option<Spread>,
    /// All compared methods, the largest difference first.
    pub compared: Vec<ComparedMethod>,
    /// Difference of two bare runs on the compared methods, divided by the same number of counters.
    pub noise_per_probe: Option<f64>,
}

/// One method that C2 compiled with the same inlining without and with counters.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ComparedMethod {
    /// Class, method and descriptor.
    pub method: String,
    /// Bytes of machine code without the agent.
    pub bare: u64,
    /// Bytes of machine code with it.
    pub counted: u64,
    /// Counters compiled into it.
    pub probes: usize,
}

/// Runs each workload bare, bare again, and with each kind of counters.
pub fn measure_code_size(
    installation: &Installation,
    workloads: &[Workload],
    settings: impl Fn(&Workload) -> ForkSettings,
    progress: &mut dyn FnMut(&str),
) -> Result<Vec<CodeSize>> {
    let bare = Tool::custom("code-size-bare", Vec::new());
    let again = Tool::custom("code-size-bare-again", Vec::new());
    let mut rows = Vec::new();
    for workload in workloads {
        let mut run = |tool: &Tool| {
            progress(&format!("code size, {} with {}", workload.name, tool.name));
            log_of(installation, tool, workload, settings(workload))
        };
        let (without, without_again) = (run(&bare)?, run(&again)?);
        for counters in ["path", "site"] {
            let tool = Tool::ducktrack(
                &format!("code-size-{counters}"),
                &format!("mode=count,counters={counters}"),
            );
            rows.push(compare(
                &workload.name,
                counters,
                &without,
                &without_again,
                &run(&tool)?,
            ));
        }
    }
    Ok(rows)
}

fn log_of(
    installation: &Installation,
    tool: &Tool,
    workload: &Workload,
    mut settings: ForkSettings,
) -> Result<CompilationLog> {
    let directory = installation.fork_directory(&[&workload.name, &tool.name])?;
    let path = directory.join("compilation.log");
    settings.jvm_options.extend([
        "-XX:+UnlockDiagnosticVMOptions".to_owned(),
        "-XX:+LogCompilation".to_owned(),
        format!("-XX:LogFile={}", path.display()),
    ]);
    let program = Program::Workload(workload.name.clone());
    let fork = run_fork(installation, tool, &program, &settings, None, &directory)?;
    if fork.outcome != Outcome::Done {
        bail!("{} with {}: {:?}", workload.name, tool.name, fork.outcome);
    }
    let file = File::open(&path).with_context(|| format!("{}", path.display()))?;
    let log = CompilationLog::read(BufReader::new(file))?;
    // A log is large and no longer needed once it has been read.
    std::fs::remove_file(&path)?;
    Ok(log)
}

fn compare(
    workload: &str,
    counters: &str,
    without: &CompilationLog,
    again: &CompilationLog,
    with: &CompilationLog,
) -> CodeSize {
    let counted = with
        .compiled
        .iter()
        .filter(|(_, compiled)| compiled.probes > 0);
    let (mut probes, mut added, mut left_out) = (0, 0.0, 0);
    let (mut noise, mut noise_probes) = (0.0, 0);
    let mut compared: Vec<ComparedMethod> = Vec::new();
    for (method, compiled) in counted {
        let same = |log: &CompilationLog| {
            let other = log
                .compiled
                .get(method)
                .filter(|other| other.inlined == compiled.inlined)?;
            Some(other.code_bytes)
        };
        let Some(bare) = same(without) else {
            left_out += 1;
            continue;
        };
        probes += compiled.probes;
        added += compiled.code_bytes as f64 - bare as f64;
        if let Some(bare_again) = same(again) {
            noise += bare_again as f64 - bare as f64;
            noise_probes += compiled.probes;
        }
        let (counted, probes) = (compiled.code_bytes, compiled.probes);
        compared.push(ComparedMethod {
            method: method.clone(),
            bare,
            counted,
            probes,
        });
    }
    compared.sort_by_key(|method| {
        (
            std::cmp::Reverse(method.counted.abs_diff(method.bare)),
            method.method.clone(),
        )
    });
    let share = |bytes: f64, probes: usize| (probes > 0).then(|| bytes / probes as f64);
    CodeSize {
        workload: workload.to_owned(),
        counters: counters.to_owned(),
        methods: compared.len(),
        left_out,
        probes,
        bytes_per_probe: share(added, probes),
        per_method: Spread::of(compared.iter().map(ComparedMethod::bytes_per_probe)),
        noise_per_probe: share(noise, noise_probes),
        compared,
    }
}

impl ComparedMethod {
    fn bytes_per_probe(&self) -> f64 {
        (self.counted as f64 - self.bare as f64) / self.probes as f64
    }
}

/// Median of the methods' bytes per counter, over all rows of one kind of counters.
pub(crate) fn median_over_all(rows: &[CodeSize], counters: &str) -> Option<f64> {
    let own = rows.iter().filter(|row| row.counters == counters);
    median(own.flat_map(|row| row.compared.iter().map(ComparedMethod::bytes_per_probe)))
}

/// All bytes divided by all counters, over all rows of one kind of counters.
pub(crate) fn bytes_per_probe_over_all(rows: &[CodeSize], counters: &str) -> Option<f64> {
    let own = || rows.iter().filter(|row| row.counters == counters);
    let probes: usize = own().map(|row| row.probes).sum();
    let bytes: f64 = own()
        .filter_map(|row| Some(row.bytes_per_probe? * row.probes as f64))
        .sum();
    (probes > 0).then(|| bytes / probes as f64)
}

/// The rows as Markdown.
pub fn code_size_table(rows: &[CodeSize]) -> String {
    let mut text = String::from(
        "| workload | counters | methods compared | left out | counters in them | bytes per counter | per method: median (quartiles) | noise |\n\
         |---|---|---:|---:|---:|---:|---:|---:|\n",
    );
    let bytes = |value: Option<f64>| value.map_or("-".to_owned(), |value| format!("{value:.1}"));
    for row in rows {
        let quartiles = row.per_method.map_or("-".to_owned(), |spread| {
            format!(
                "{:.0} ({:.0} to {:.0})",
                spread.median, spread.low, spread.high
            )
        });
        text += &format!(
            "| {} | {} | {} | {} | {} | {} | {} | {} |\n",
            row.workload,
            row.counters,
            row.methods,
            row.left_out,
            row.probes,
            bytes(row.bytes_per_probe),
            quartiles,
            bytes(row.noise_per_probe),
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Compiled;

    fn log(methods: &[(&str, u64, &[&str], usize)]) -> CompilationLog {
        let entry = |(name, code_bytes, inlined, probes): &(&str, u64, &[&str], usize)| {
            let inlined = inlined.iter().map(|name| (*name).to_owned()).collect();
            (
                (*name).to_owned(),
                Compiled {
                    code_bytes: *code_bytes,
                    inlined,
                    probes: *probes,
                },
            )
        };
        CompilationLog {
            compiled: methods.iter().map(entry).collect(),
        }
    }

    #[test]
    fn only_methods_with_the_same_inlining_are_compared() {
        let bare = log(&[
            ("a", 100, &["a", "x"], 0),
            ("b", 200, &["b"], 0),
            ("c", 50, &["c"], 0),
            ("d", 10, &["d"], 0),
        ]);
        let again = log(&[("a", 104, &["a", "x"], 0), ("b", 999, &["b", "y"], 0)]);
        let with = log(&[
            ("a", 140, &["a", "x"], 2),
            ("b", 216, &["b"], 1),
            ("c", 300, &["c", "y"], 1),
            ("d", 12, &["d"], 0),
            ("e", 30, &["e"], 1),
        ]);
        let row = compare("json", "path", &bare, &again, &with);
        assert_eq!((row.methods, row.left_out, row.probes), (2, 2, 3));
        assert!((row.bytes_per_probe.unwrap() - 56.0 / 3.0).abs() < 1e-9);
        assert_eq!(row.noise_per_probe, Some(2.0));
        assert_eq!(
            (row.per_method.unwrap().min, row.per_method.unwrap().max),
            (16.0, 20.0)
        );
        assert_eq!(bytes_per_probe_over_all(&[row], "site"), None);
    }
}
