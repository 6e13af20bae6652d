//! The share of the JVM's own allocated bytes that ducktrack's sites explain, per workload and over the suite.

use anyhow::Result;
use serde::Serialize;
use serde_json::Value;

use crate::Installation;
use crate::command_json::command_json;
use crate::plan::fork_path;
use crate::tool::TRACE;

/// The balance of one workload, as in its report.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WorkloadCompleteness {
    /// The workload.
    pub workload: String,
    /// Bytes allocated by the JVM's own count.
    pub vm_bytes: f64,
    /// How many of these bytes the sites explain.
    pub explained_bytes: f64,
    /// Which bytes count as explained: executed or materialized ones.
    pub basis: String,
}

impl WorkloadCompleteness {
    /// The share explained; at most 1, although more bytes may be executed than allocated (the rest was eliminated).
    pub fn share(&self) -> f64 {
        (self.explained_bytes / self.vm_bytes).min(1.0)
    }
}

/// Extracts the balances from reports; a report without the JVM's own count has none.
pub fn measure_completeness(reports: &[(String, Value)]) -> Vec<WorkloadCompleteness> {
    reports
        .iter()
        .filter_map(|(workload, report)| balance(workload, report))
        .collect()
}

/// The reports of one tool's forks that a plan left on disk, by workload.
pub(crate) fn reports_of(
    installation: &Installation,
    workloads: &[String],
    tool: &str,
    round: usize,
) -> Result<Vec<(String, Value)>> {
    let mut reports = Vec::new();
    for workload in workloads {
        let trace = fork_path(installation, workload, tool, round).join(TRACE);
        if trace.exists() {
            let report = command_json(installation, "report", &trace)?;
            reports.push((workload.clone(), report));
        }
    }
    Ok(reports)
}

fn balance(workload: &str, report: &Value) -> Option<WorkloadCompleteness> {
    let own = &report["completeness"];
    Some(WorkloadCompleteness {
        workload: workload.to_owned(),
        vm_bytes: own["vm_bytes"].as_f64().filter(|bytes| *bytes > 0.0)?,
        explained_bytes: own["explained_bytes"].as_f64()?,
        basis: own["basis"].as_str().unwrap_or("executed").to_owned(),
    })
}

/// Explained bytes divided by allocated bytes over all workloads; a surplus of one workload does not make up for a
/// gap of another.
pub(crate) fn share_over_all(rows: &[WorkloadCompleteness]) -> Option<f64> {
    let all: f64 = rows.iter().map(|row| row.vm_bytes).sum();
    let explained: f64 = rows.iter().map(|row| row.share() * row.vm_bytes).sum();
    (all > 0.0).then(|| explained / all)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_surplus_does_not_hide_a_gap() {
        let report = |vm: u64, explained: u64| json!({"completeness": {"vm_bytes": vm, "explained_bytes": explained, "basis": "executed"}});
        let reports = [
            ("a".to_owned(), report(100, 150)),
            ("b".to_owned(), report(100, 90)),
            ("c".to_owned(), json!({})),
        ];
        let rows = measure_completeness(&reports);
        assert_eq!(
            rows.iter()
                .map(WorkloadCompleteness::share)
                .collect::<Vec<_>>(),
            [1.0, 0.9]
        );
        assert_eq!(share_over_all(&rows), Some(0.95));
        assert_eq!(share_over_all(&[]), None);
    }
}
