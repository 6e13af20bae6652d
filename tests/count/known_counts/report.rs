//! The parts of `ducktrack report --format json` that these tests read.

use anyhow::Context;
use serde_json::Value;

/// A report.
pub(crate) struct Report {
    document: Value,
}

/// One part of a site's counts: of one type and one caller.
pub(crate) struct Part<'a> {
    pub(crate) class: &'a str,
    pub(crate) method: &'a str,
    pub(crate) line: Option<u16>,
    pub(crate) kind: &'a str,
    pub(crate) ty: &'a str,
    /// Class, method and line to blame.
    pub(crate) caller: Option<(&'a str, &'a str, Option<u16>)>,
    pub(crate) count: i64,
    pub(crate) bytes: i64,
}

impl Report {
    /// Reads the JSON.
    pub(crate) fn parse(json: &[u8]) -> anyhow::Result<Self> {
        Ok(Self {
            document: serde_json::from_slice(json).context("the report is no JSON")?,
        })
    }

    /// All parts of all sites.
    pub(crate) fn parts(&self) -> impl Iterator<Item = Part<'_>> {
        self.document["sites"]
            .as_array()
            .into_iter()
            .flatten()
            .flat_map(parts)
    }

    /// Bytes that reached the heap from all sites of a method.
    pub(crate) fn materialized_bytes(&self, class: &str, method: &str) -> i64 {
        let sites = self.document["sites"].as_array().into_iter().flatten();
        sites
            .filter(|site| site["class"] == class && site["method"] == method)
            .map(|site| number(&site["materialized"]["bytes"]))
            .sum()
    }

    /// Losses and damage.
    pub(crate) fn complaints(&self) -> Vec<String> {
        ["losses", "damage"]
            .iter()
            .flat_map(|key| self.document[*key].as_array().into_iter().flatten())
            .map(Value::to_string)
            .collect()
    }

    /// Is there a note that the VM lets no agent rewrite hidden classes?
    pub(crate) fn leaves_out_hidden_classes(&self) -> bool {
        let notes = self.document["notes"].as_array().into_iter().flatten();
        notes
            .filter_map(Value::as_str)
            .any(|note| note.starts_with("Hidden classes cannot be rewritten"))
    }

    /// `99.85% of 38067008 bytes explained`, and what reached the heap where that was measured.
    pub(crate) fn completeness(&self) -> String {
        let completeness = &self.document["completeness"];
        let percent = completeness["explained_percent"]
            .as_f64()
            .unwrap_or(f64::NAN);
        let shared = &completeness["shared_objects"];
        format!(
            "{percent:.3}% of {} bytes explained, {shared} shared, {} sites refused",
            completeness["vm_bytes"], completeness["refused_sites"]
        )
    }
}

fn parts(site: &Value) -> Vec<Part<'_>> {
    let contexts = site["context"].as_array().map_or(&[][..], Vec::as_slice);
    if contexts.is_empty() {
        return of_types(site, site, None);
    }
    contexts
        .iter()
        .flat_map(|context| of_types(site, context, caller(context)))
        .collect()
}

fn caller(context: &Value) -> Option<(&str, &str, Option<u16>)> {
    let class = context["class"].as_str()?;
    Some((class, text(&context["method"]), line(&context["line"])))
}

fn of_types<'a>(
    site: &'a Value,
    amounts: &'a Value,
    caller: Option<(&'a str, &'a str, Option<u16>)>,
) -> Vec<Part<'a>> {
    let part = |ty: &'a Value| Part {
        class: text(&site["class"]),
        method: text(&site["method"]),
        line: line(&site["line"]),
        kind: text(&site["kind"]),
        ty: text(&ty["type"]),
        caller,
        count: number(&ty["count"]),
        bytes: number(&ty["bytes"]),
    };
    amounts["types"]
        .as_array()
        .into_iter()
        .flatten()
        .map(part)
        .collect()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or("")
}

fn line(value: &Value) -> Option<u16> {
    value.as_u64().and_then(|line| u16::try_from(line).ok())
}

fn number(value: &Value) -> i64 {
    value.as_i64().expect("a count")
}
