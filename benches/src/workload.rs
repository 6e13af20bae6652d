//! The measured programs: the harness's workloads, by name.

use std::process::Command;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::Installation;

/// One workload of the harness, or the benchmark's own program with known counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Workload {
    /// Its name.
    pub name: String,
    /// What it does, in a few words.
    pub about: String,
    /// It runs in nightly benchmarks only.
    pub nightly: bool,
    /// Iterations in the harness's own settings; long workloads have fewer.
    pub iterations: usize,
}

/// All workloads listed by `harness.jar --list`.
pub fn list_workloads(installation: &Installation) -> Result<Vec<Workload>> {
    let jar = installation.needed(installation.harness.clone())?;
    let output = Command::new(installation.java())
        .arg("-jar")
        .arg(&jar)
        .arg("--list")
        .output()
        .context("java")?;
    let text = String::from_utf8_lossy(&output.stdout);
    if !output.status.success() {
        bail!(
            "{} --list failed: {}",
            jar.display(),
            String::from_utf8_lossy(&output.stderr)
        );
    }
    Ok(text.lines().filter_map(parse_workload).collect())
}

fn parse_workload(line: &str) -> Option<Workload> {
    let value: Value = serde_json::from_str(line).ok()?;
    if value["event"].as_str() != Some("list") {
        return None;
    }
    Some(Workload {
        name: value["workload"].as_str()?.to_owned(),
        about: value["about"].as_str().unwrap_or("").to_owned(),
        nightly: value["nightly"].as_bool().unwrap_or(false),
        iterations: value["iterations"]
            .as_u64()
            .and_then(|n| usize::try_from(n).ok())
            .unwrap_or(5),
    })
}

/// The workloads in `names`; without names, all but the nightly ones.
pub fn select_workloads(all: Vec<Workload>, names: &[String]) -> Result<Vec<Workload>> {
    if names.is_empty() {
        return Ok(all
            .into_iter()
            .filter(|workload| !workload.nightly)
            .collect());
    }
    let find = |name: &String| match all.iter().find(|workload| workload.name == *name) {
        Some(workload) => Ok(workload.clone()),
        None => bail!("no workload {name}; there are {}", joined(&all)),
    };
    names.iter().map(find).collect()
}

fn joined(all: &[Workload]) -> String {
    all.iter()
        .map(|workload| workload.name.as_str())
        .collect::<Vec<_>>()
        .join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed() -> Vec<Workload> {
        let lines = [
            r#"{"event":"list","workload":"json","group":"main","size":4,"iterations":5,"nightly":false,"about":"Jackson"}"#,
            "some other line",
            r#"{"event":"list","workload":"ecj","iterations":3,"nightly":true,"about":"compiler"}"#,
        ];
        lines
            .iter()
            .filter_map(|line| parse_workload(line))
            .collect()
    }

    #[test]
    fn nightly_workloads_run_only_when_named() {
        let names = |list: Vec<Workload>| {
            list.into_iter()
                .map(|workload| workload.name)
                .collect::<Vec<_>>()
        };
        assert_eq!(names(select_workloads(listed(), &[]).unwrap()), ["json"]);
        assert_eq!(
            names(select_workloads(listed(), &["ecj".into(), "json".into()]).unwrap()),
            ["ecj", "json"]
        );
    }

    #[test]
    fn an_unknown_name_is_answered_with_the_known_ones() {
        let error = select_workloads(listed(), &["jsno".into()])
            .unwrap_err()
            .to_string();
        assert_eq!(error, "no workload jsno; there are json, ecj");
    }
}
