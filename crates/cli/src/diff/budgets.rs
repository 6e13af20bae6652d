//! `ducktrack.toml`: limits that tests, benchmarks and `ducktrack diff` obey alike. Those of packages and
//! sites are gates here; JUnit and JMH obey them too, and those of tests and benchmarks (`agent/java/agent`,
//! class `Budgets`). Those of contexts are for each execution, and for `ducktrack diff` alone.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result};
use ducktrack_reports::Gate;
use serde::Deserialize;

/// The limits of one table, by name.
type Table = BTreeMap<String, Limits>;

/// The kinds of tables. The whole file is checked, whoever obeys which part.
#[derive(Deserialize, PartialEq, Eq, PartialOrd, Ord)]
#[serde(rename_all = "lowercase")]
enum Kind {
    Package,
    Site,
    Test,
    Benchmark,
    Context,
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
    let budgets: BTreeMap<Kind, Table> = toml::from_str(text)?;
    let mut gates = Vec::new();
    for (kind, table) in &budgets {
        for (name, limits) in table {
            match kind {
                Kind::Package => limits.add(name.trim_end_matches(".."), "", &mut gates)?,
                Kind::Site => limits.add(&format!("{name}()"), "", &mut gates)?,
                Kind::Context => {
                    limits.add(&format!("context:{name}"), " per execution", &mut gates)?;
                }
                Kind::Test | Kind::Benchmark => {}
            }
        }
    }
    Ok(gates)
}

impl Limits {
    fn add(&self, scope: &str, each: &str, gates: &mut Vec<Gate>) -> Result<()> {
        if let Some(objects) = self.objects {
            gates.push(gate(&format!("count[{scope}]>{objects}{each}"))?);
        }
        match &self.bytes {
            Some(Size::Bytes(bytes)) => gates.push(gate(&format!("bytes[{scope}]>{bytes}{each}"))?),
            Some(Size::Text(size)) => gates.push(gate(&format!("bytes[{scope}]>{size}{each}"))?),
            None => {}
        }
        Ok(())
    }
}

fn gate(text: &str) -> Result<Gate> {
    let gate: Gate = text.parse().with_context(|| text.to_owned())?;
    Ok(gate.of_shared_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_of_packages_and_sites_are_gates_and_what_is_not_known_is_refused() {
        let text = "[package.\"com.acme..\"]\nobjects = 12\nbytes = \"4KiB\"\n[test.\"com.acme.Test.one\"]\nobjects = 1\n\
            [site.\"com.acme.Parser.next\"]\nobjects = 0\n[context.\"GET /orders\"]\nbytes = \"8KiB\"\n";
        let gates: Vec<String> = of_text(text)
            .expect("gates")
            .iter()
            .map(ToString::to_string)
            .collect();
        assert_eq!(
            gates,
            [
                "count[com.acme]>12",
                "bytes[com.acme]>4KiB",
                "count[com.acme.Parser.next()]>0",
                "bytes[context:GET /orders]>8KiB per execution"
            ]
        );
        for wrong in [
            "[package.x]\nobject = 1",
            "[paket.x]",
            "[package.x]\nbytes = \"4 parsecs\"",
            "objects = 1",
            "[site.next]\nobjects = 1",
            "[test.x]\nobject = 1",
        ] {
            assert!(of_text(wrong).is_err(), "{wrong}");
        }
    }
}
