//! The output of a run of the program, and the agent's report about it.

use std::collections::BTreeMap;
use std::process::Command;

use anyhow::{Context, Result};
use ducktrack_tests::{Jdk, agent_argument, printed_by, trace_command};
use serde_json::Value;

use crate::ledger::SiteName;
use crate::program::{Manner, Program};

/// Every class is verified, the JDK's too.
pub(crate) const FULL_VERIFICATION: [&str; 3] = [
    "-XX:+UnlockDiagnosticVMOptions",
    "-XX:+BytecodeVerificationLocal",
    "-XX:+BytecodeVerificationRemote",
];

/// C2 of JDK 17 makes the levels of small constant arrays one by one, and in loops it then loses what was stored just before: the
/// program's own counts, with or without agent.
const EVERY_RUN: &str = "-XX:MultiArrayExpandLimit=0";

/// The program's statements: its result and its own counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Truth {
    pub(crate) sum: String,
    pub(crate) cells: BTreeMap<usize, i64>,
    /// How often the stack ended, seen from outside.
    pub(crate) overflows: u64,
}

/// Count and bytes.
pub(crate) type Amount = (i64, i64);

/// A run under the agent.
pub(crate) struct Counted {
    pub(crate) truth: Truth,
    pub(crate) report: Value,
    pub(crate) amounts: BTreeMap<SiteName, Amount>,
}

impl Truth {
    /// Of a run without agent.
    pub(crate) fn of_bare_run(jdk: &Jdk, program: &Program) -> Result<Self> {
        run(jdk
            .tool("java")
            .arg(EVERY_RUN)
            .args(program.command_line(Manner::Fast)))
    }

    fn parse(text: &str) -> Result<Self> {
        let mut cells = BTreeMap::new();
        for line in text.lines().filter_map(|line| line.strip_prefix("CELL ")) {
            let (cell, count) = line.split_once(' ').context("a cell and its value")?;
            cells.insert(cell.parse()?, count.parse()?);
        }
        let overflows = text
            .lines()
            .find_map(|line| line.strip_prefix("OVERFLOWS "))
            .map_or(Ok(0), str::parse)?;
        let sum = text
            .lines()
            .find_map(|line| line.strip_prefix("SUM "))
            .context("no SUM")?;
        Ok(Self {
            sum: sum.to_owned(),
            cells,
            overflows,
        })
    }
}

impl Counted {
    /// Runs the program under the agent.
    pub(crate) fn run(
        jdk: &Jdk,
        program: &Program,
        vm_options: &[&str],
        options: &str,
        manner: Manner,
    ) -> Result<Self> {
        let folder = tempfile::tempdir().context("a folder for the trace")?;
        let trace = folder.path().join("trace");
        let mut java = jdk.tool("java");
        java.arg(EVERY_RUN).args(vm_options);
        java.arg(agent_argument(options, &trace));
        let truth = run(java.args(program.command_line(manner)))?;
        let report = trace_command("report", &trace, &[]);
        let amounts = amounts(&report);
        Ok(Self {
            truth,
            report,
            amounts,
        })
    }
}

impl Counted {
    /// Generated methods that were left alone, and why.
    pub(crate) fn refused(&self) -> BTreeMap<String, String> {
        let text = |value: &Value| value.as_str().unwrap_or("").to_owned();
        let mut refused = BTreeMap::new();
        for by_reason in self.report["refusals"]["by_reason"]
            .as_array()
            .into_iter()
            .flatten()
        {
            for method in by_reason["list"].as_array().into_iter().flatten() {
                if is_generated(&text(&method["class"])) {
                    let name = format!("{}.{}", text(&method["class"]), text(&method["method"]));
                    refused.insert(name, text(&by_reason["reason"]));
                }
            }
        }
        refused
    }
}

fn is_generated(class: &str) -> bool {
    class
        .strip_prefix("Random")
        .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
}

fn run(java: &mut Command) -> Result<Truth> {
    Truth::parse(&printed_by(java))
}

/// All sites of generated classes.
fn amounts(report: &Value) -> BTreeMap<SiteName, Amount> {
    let mut amounts = BTreeMap::new();
    for site in report["sites"].as_array().into_iter().flatten() {
        let text = |key: &str| site[key].as_str().unwrap_or("").to_owned();
        if !is_generated(&text("class")) {
            continue;
        }
        let name = SiteName {
            class: text("class"),
            method: text("method"),
            descriptor: text("descriptor"),
            bci: site["bci"].as_u64().unwrap_or(u64::MAX),
            ty: text("type"),
        };
        let amount: &mut Amount = amounts.entry(name).or_default();
        amount.0 += site["count"].as_i64().unwrap_or(i64::MIN);
        amount.1 += site["bytes"].as_i64().unwrap_or(i64::MIN);
    }
    amounts
}
