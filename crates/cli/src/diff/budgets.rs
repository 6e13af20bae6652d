//! `ducktrack.toml`: limits that tests, benchmarks and `ducktrack diff` obey alike. Those of packages are gates here; JUnit and JMH take theirs
//! (`java-harness/allocations`, class `Budgets`).

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result};
use ducktrack_reports::Gate;
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Budgets {
    #[serde(default)]
    package: BTreeMap<String, Limits>,
    /// Checked here, obeyed by JUnit.
    #[serde(default, rename = "test")]
    _test: BTreeMap<String, Limits>,
    /// Checked here, obeyed by JMH.
    #[serde(default, rename = "benchmark")]
    _benchmark: BTreeMap<String, Limits>,
}

/// The most objects and bytes.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Limits {
    objects: Option<u64>,
    bytes: Option<Size>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Size {
    Bytes(u64),
    /// `4KiB`
    Text(String),
}

/// The gates of a file.
pub(super) fn gates(file: &Path) -> Result<Vec<Gate>> {
    let text =
        std::fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    of_text(&text).with_context(|| file.display().to_string())
}

fn of_text(text: &str) -> Result<Vec<Gate>> {
    let budgets: Budgets = toml::from_str(text)?;
    let mut gates = Vec::new();
    for (package, limits) in &budgets.package {
        let scope = package.trim_end_matches("..");
        if let Some(objects) = limits.objects {
            gates.push(gate(&format!("count[{scope}]>{objects}"))?);
        }
        match &limits.bytes {
            Some(Size::Bytes(bytes)) => gates.push(gate(&format!("bytes[{scope}]>{bytes}"))?),
            Some(Size::Text(size)) => gates.push(gate(&format!("bytes[{scope}]>{size}"))?),
            None => {}
        }
    }
    Ok(gates)
}

fn gate(text: &str) -> Result<Gate> {
    text.parse().with_context(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_of_packages_are_gates_and_what_is_not_known_is_refused() {
        let text = "[package.\"com.acme..\"]\nobjects = 12\nbytes = \"4KiB\"\n[test.\"com.acme.Test.one\"]\nobjects = 1\n";
        let gates: Vec<String> = of_text(text)
            .expect("gates")
            .iter()
            .map(ToString::to_string)
            .collect();
        assert_eq!(gates, ["count[com.acme]>12", "bytes[com.acme]>4KiB"]);
        for wrong in [
            "[package.x]\nobject = 1",
            "[paket.x]",
            "[package.x]\nbytes = \"4 parsecs\"",
            "objects = 1",
        ] {
            assert!(of_text(wrong).is_err(), "{wrong}");
        }
    }
}
