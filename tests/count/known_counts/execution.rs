//! One run of one program.

use std::process::Command;

use anyhow::Context;
use ducktrack_tests::{Finished, Jdk, agent_argument, ducktrack_command, printed_by};

use crate::expectation::Expectation;
use crate::program::{self, Program};
use crate::report::Report;

/// Every class is verified, the JDK's too.
const FULL_VERIFICATION: [&str; 3] = [
    "-XX:+UnlockDiagnosticVMOptions",
    "-XX:+BytecodeVerificationLocal",
    "-XX:+BytecodeVerificationRemote",
];

/// The result.
pub(crate) struct Execution {
    status: Option<i32>,
    checksum: Option<String>,
    errors: String,
    pub(crate) expectations: Vec<Expectation>,
    /// Objects that the program's thread really allocated, by site.
    allocated: Vec<(String, i64)>,
    /// Only with the agent.
    pub(crate) report: Option<Report>,
}

impl Execution {
    /// The program by itself.
    pub(crate) fn bare(jdk: &Jdk, program: &Program) -> anyhow::Result<Self> {
        Self::of(&run(&mut java(jdk, program)?, program), program, None)
    }

    /// The program with the agent, verified, and its report.
    pub(crate) fn counted(jdk: &Jdk, program: &Program, options: &str) -> anyhow::Result<Self> {
        let folder = tempfile::tempdir().context("a folder for the trace")?;
        let trace = folder.path().join("trace");
        let mut java = java(jdk, program)?;
        java.args(FULL_VERIFICATION);
        java.arg(agent_argument(options, &trace));
        let finished = run(&mut java, program);
        let mut command = ducktrack_command();
        let command = command.arg("report").arg(&trace).args(["--format", "json"]);
        let report = Report::parse(printed_by(command).as_bytes())?;
        Self::of(&finished, program, Some(report))
    }

    fn of(finished: &Finished, program: &Program, report: Option<Report>) -> anyhow::Result<Self> {
        let rows = |word: &'static str| {
            finished
                .out
                .lines()
                .filter_map(move |line| line.strip_prefix(word))
        };
        Ok(Self {
            status: finished.status.code(),
            checksum: rows("CHECKSUM ").next().map(str::to_owned),
            errors: finished.errors.clone(),
            expectations: rows("EXPECT ")
                .map(|row| Expectation::parse(row, &program.inexact))
                .collect::<anyhow::Result<_>>()?,
            allocated: rows("ALLOCATED ")
                .map(allocated)
                .collect::<anyhow::Result<_>>()?,
            report,
        })
    }

    /// Bytes that the program's thread really allocated for a site.
    pub(crate) fn allocated(&self, site: &str) -> Option<i64> {
        let row = self.allocated.iter().find(|(name, _)| name == site)?;
        Some(row.1)
    }

    /// Forbidden differences to the run without agent.
    pub(crate) fn differences(&self, bare: &Self, program: &Program) -> Vec<String> {
        let mut differences = Vec::new();
        if self.checksum.is_none() || self.checksum != bare.checksum {
            differences.push(format!(
                "checksum {:?}, without agent {:?}",
                self.checksum, bare.checksum
            ));
        }
        if self.status != Some(program.exit_status()) {
            let errors: Vec<&str> = self.errors.lines().take(12).collect();
            differences.push(format!(
                "exit status {:?}: {}",
                self.status,
                errors.join("\n        ")
            ));
        }
        if self.expectations.is_empty() {
            differences.push("no EXPECT lines".to_owned());
        }
        differences.extend(self.report.iter().flat_map(Report::complaints));
        differences
    }
}

/// `escaping 48000816`
fn allocated(row: &str) -> anyhow::Result<(String, i64)> {
    let (site, bytes) = row.split_once(' ').context("no ALLOCATED line")?;
    Ok((site.to_owned(), bytes.parse()?))
}

fn java(jdk: &Jdk, program: &Program) -> anyhow::Result<Command> {
    let mut java = jdk.tool("java");
    java.current_dir(program::folder()?).args(&program.options);
    Ok(java)
}

fn run(java: &mut Command, program: &Program) -> Finished {
    Finished::of(java.args(["-cp", &program.class_path, &program.name]))
}
